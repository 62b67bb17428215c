//! Every figure that ships is held to what it was: its data to within a hundredth, its picture to a
//! coarse likeness. After a change that is wanted, look at the figures, then run
//!
//! ```sh
//! BVLAB_BLESS=1 cargo test --release every_figure_is_what_it_was
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use bvlab::decompose::heavy_tail;
use bvlab::engine::{self, Unwatched};
use bvlab::experiment::shipped;
use bvlab::experiment::{Experiment, Source};
use bvlab::figure;
use bvlab::outcome::{Table, Tables};
use bvlab::simulation;
use bvlab::task::Task;

/// Few resamples: enough for a picture, quick to make.
const RESAMPLES: &str = "run.resamples=30";

/// A pixel of the likeness stands for so many of the picture.
const COARSE: usize = 30;

/// How much colours may differ, of 255: on average, and within a block.
const LIMITS: (f64, f64) = (1.0, 3.0);

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bvlab/pictures")
}

/// The mean colours of squares of the picture.
struct Likeness {
    width: usize,
    height: usize,
    colours: Vec<u8>,
}

impl Likeness {
    fn of(png: &[u8]) -> Self {
        let (width, height, pixels) = decode(png);
        let (columns, rows) = (width / COARSE, height / COARSE);
        let mut colours = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                for channel in 0..3 {
                    let mut sum = 0_usize;
                    for y in 0..COARSE {
                        for x in 0..COARSE {
                            let at = (row * COARSE + y) * width + column * COARSE + x;
                            sum += usize::from(pixels[3 * at + channel]);
                        }
                    }
                    colours.push((sum / (COARSE * COARSE)) as u8);
                }
            }
        }
        Likeness {
            width: columns,
            height: rows,
            colours,
        }
    }

    fn write(&self, path: &Path) {
        let file = fs::File::create(path).unwrap();
        let mut encoder = png::Encoder::new(file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&self.colours).unwrap();
    }

    /// The mean difference of all colours, of 255, and the largest mean difference within a block of
    /// 8 × 6: a curve that moved shows in the second.
    fn differs(&self, other: &Likeness) -> (f64, f64) {
        let size = |likeness: &Likeness| (likeness.width, likeness.height);
        assert_eq!(size(self), size(other), "another size");
        let apart = |i: usize| f64::from(self.colours[i].abs_diff(other.colours[i]));
        let all = (0..self.colours.len()).map(apart).sum::<f64>() / self.colours.len() as f64;
        let mut worst: f64 = 0.0;
        for top in (0..self.height).step_by(6) {
            for left in (0..self.width).step_by(8) {
                let (mut sum, mut count) = (0.0, 0.0);
                for y in top..(top + 6).min(self.height) {
                    for x in left..(left + 8).min(self.width) {
                        for channel in 0..3 {
                            sum += apart(3 * (y * self.width + x) + channel);
                            count += 1.0;
                        }
                    }
                }
                worst = worst.max(sum / count);
            }
        }
        (all, worst)
    }
}

fn decode(bytes: &[u8]) -> (usize, usize, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    (info.width as usize, info.height as usize, pixels)
}

/// The numbers behind a figure: of every learner, at the first, the middle and the last setting.
fn digest(curves: &Table) -> Vec<(String, f64)> {
    let names = curves.texts("learner");
    let resamples = curves.wholes("resamples")[0];
    let mut lines = Vec::new();
    let mut start = 0;
    while start < names.len() {
        let same = names[start..]
            .iter()
            .take_while(|name| **name == names[start]);
        let count = same.count();
        let mut rows = vec![start, start + count / 2, start + count - 1];
        rows.dedup();
        for row in rows {
            let columns = ["noise", "bias2", "variance", "train_risk", "risk_median"];
            for column in columns {
                let share = curves.numbers("largest_share")[row];
                // A mean that does not exist need not come out the same on another machine.
                let mean = ["bias2", "variance"].contains(&column);
                if mean && heavy_tail(share, resamples) {
                    continue;
                }
                let value = curves.numbers(column)[row];
                lines.push((format!("{} {} {column}", names[row], row - start), value));
            }
        }
        start += count;
    }
    lines
}

/// The numbers behind a simulation: every seventh row.
fn digest_of_simulation(rows: &Table) -> Vec<(String, f64)> {
    let (panels, series) = (rows.texts("panel"), rows.texts("series"));
    let numbers = ["value", "theory"].map(|name| (name, rows.numbers(name)));
    let all = (0..rows.rows()).step_by(7).flat_map(|row| {
        let line = move |(name, values): (&str, &[f64])| {
            (
                format!("{} {} {row} {name}", panels[row], series[row]),
                values[row],
            )
        };
        numbers.map(line)
    });
    all.filter(|(_, value)| value.is_finite()).collect()
}

/// Compares with what was kept, or keeps it.
fn hold_data(name: &str, digest: &[(String, f64)], bless: bool) -> Result<(), String> {
    let path = home().join(format!("{name}.txt"));
    if bless {
        let lines = digest
            .iter()
            .map(|(what, value)| format!("{what} {value:.6e}\n"));
        fs::write(&path, lines.collect::<String>()).unwrap();
        return Ok(());
    }
    let kept = fs::read_to_string(&path).map_err(|_| format!("{name}: no data kept"))?;
    let kept: Vec<(&str, f64)> = kept
        .lines()
        .filter_map(|line| line.rsplit_once(' '))
        .map(|(what, value)| (what, value.parse().unwrap()))
        .collect();
    let names = |list: &mut dyn Iterator<Item = String>| list.collect::<Vec<_>>().join("\n");
    let here = names(&mut digest.iter().map(|(what, _)| what.clone()));
    let there = names(&mut kept.iter().map(|(what, _)| (*what).to_owned()));
    if here != there {
        return Err(format!("{name}: other rows\n{here}\nwere\n{there}"));
    }
    for ((what, value), (_, kept)) in digest.iter().zip(&kept) {
        // Zero but for rounding is zero.
        let apart = (value - kept).abs();
        if apart > 0.01 * kept.abs() + 1e-9 {
            return Err(format!("{name}: {what} is {value}, was {kept}"));
        }
    }
    Ok(())
}

fn hold_picture(name: &str, png: &[u8], bless: bool) -> Result<(), String> {
    let path = home().join(format!("{name}.png"));
    let likeness = Likeness::of(png);
    if bless {
        likeness.write(&path);
        return Ok(());
    }
    let kept = fs::read(&path).map_err(|_| format!("{name}: no picture kept"))?;
    let (width, height, colours) = decode(&kept);
    let kept = Likeness {
        width,
        height,
        colours,
    };
    let (all, worst) = likeness.differs(&kept);
    match all < LIMITS.0 && worst < LIMITS.1 {
        true => Ok(()),
        false => Err(format!(
            "{name}: the picture differs by {all:.2} on average, {worst:.2} in one place"
        )),
    }
}

#[test]
fn every_figure_is_what_it_was() {
    let bless = std::env::var_os("BVLAB_BLESS").is_some();
    if bless {
        fs::create_dir_all(home()).unwrap();
    }
    let mut wrong = Vec::new();
    for name in shipped::names() {
        let source = Source::shipped(&name, &[RESAMPLES.to_owned()]).unwrap();
        let experiment = Experiment::read(&name, source).unwrap();
        let (tables, digest) = match &experiment.task {
            Task::Study(plan) => {
                let results = engine::run(plan, 2, &Unwatched).unwrap();
                let tables = Tables::new(plan, &results);
                let digest = digest(&tables.curves);
                (tables, digest)
            }
            Task::Simulation(setup) => {
                assert_eq!(setup.resamples, 30, "{name}");
                let rows = simulation::run(setup, &Unwatched).unwrap();
                let tables = Tables::of_simulation(&rows);
                let digest = digest_of_simulation(&tables.simulation);
                (tables, digest)
            }
        };
        wrong.extend(hold_data(&name, &digest, bless).err());
        let description = experiment.task.describe();
        for figure in &experiment.figures {
            let drawing = figure::draw(experiment.heading(), &description, figure, &tables);
            let drawing = drawing.unwrap();
            let png = drawing.to_png().unwrap();
            let (width, height, _) = decode(&png);
            assert_eq!((width, height), (1920, 1080), "{name}/{}", figure.name);
            // A blank page packs to a few kB.
            let size = png.len();
            assert!(
                (20_000..300_000).contains(&size),
                "{name}/{}: {size} bytes",
                figure.name
            );
            wrong.extend(hold_picture(&format!("{name}-{}", figure.name), &png, bless).err());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_moved_curve_is_seen_and_a_hair_is_not() {
    let blank = |colour: u8| Likeness {
        width: 64,
        height: 36,
        colours: vec![colour; 64 * 36 * 3],
    };
    let mut moved = blank(255);
    // A curve of 5 pixels' width is a sixth of a pixel here.
    for x in 8..56 {
        for channel in 0..3 {
            moved.colours[3 * (12 * 64 + x) + channel] = 212;
        }
    }
    let (_, gone) = moved.differs(&blank(255));
    let (_, hair) = blank(254).differs(&blank(255));
    assert!(hair < LIMITS.1 && gone > 2.0 * LIMITS.1, "{hair} {gone}");
}
