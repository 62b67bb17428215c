//! bvlab in a browser: a scene goes in, the messages of the live page come out.
//!
//! A page starts some workers, each with a module of its own and no memory in common. One of them
//! *joins*: it reads the scene, says what is run, takes what the others have computed at the end of
//! every round, and says the frames. The others *share* the groups of resamples between them. How
//! many there are changes no digit. Lessons and tables are handed in.
//!
//! Nothing but numbers goes through the calls. What has a length is written to the module's input
//! ([`bvlab_input`] makes room) before a call and read from its output after it ([`bvlab_output`]); messages are
//! lines, and go to the one function that the module imports, `bvlab.say`.
//!
//! | call | input | does | returns |
//! |---|---|---|---|
//! | [`bvlab_hand_in`] | a JSON list of lessons | takes the lessons | 1, or 0 and a refusal as output |
//! | [`bvlab_hand_in_table`] | name, a zero byte, content | takes a table | |
//! | [`bvlab_begin`] | a scene | says the head of a run that is joined here | 1 shared, 2 whole, 0 refused |
//! | [`bvlab_memory`] | | | how many bytes that run takes in every worker, about |
//! | [`bvlab_share`] | a scene | begins a share | 1, or 0 and a refusal as output |
//! | [`bvlab_step`] | | computes a resample | 0 a resample; 1 and one that is kept, 2 and the groups of a round, 4 and an error as output; 3 complete |
//! | [`bvlab_keep`], [`bvlab_join`] | what a step gave | adds it to the run that is joined here | |
//! | [`bvlab_catch_up`] | | says the frames of the first resamples | |
//! | [`bvlab_round`], [`bvlab_run_whole`] | | says frames, and after the last what follows from all | 0 incomplete, 1 more, 2 last, 3 failed |
//! | [`bvlab_end`] | | says the last message | |
//! | [`bvlab_export`] | a scene with `what` | makes a file | 1 and the file or 0 and a refusal as output; 2 if the scene must be run first |
//! | [`bvlab_stop`] | | gives up what is under way | |

mod export;
mod session;

pub use export::ExportRequest;
pub use session::{
    ExportResult, MessageSink, RoundResult, RunMode, Session, ShareProgress, refused,
};

use std::cell::RefCell;

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

#[cfg(target_arch = "wasm32")]
mod page {
    #[allow(
        unsafe_code,
        reason = "the page must have this function, as its worker does"
    )]
    #[link(wasm_import_module = "bvlab")]
    unsafe extern "C" {
        /// Takes a line of so many bytes.
        pub safe fn say(line: *const u8, length: usize);
    }
}

/// Hands a message to the page. Elsewhere there is none, and the session is used without the calls.
fn say(line: &str) {
    #[cfg(target_arch = "wasm32")]
    page::say(line.as_ptr(), line.len());
    #[cfg(not(target_arch = "wasm32"))]
    let _ = line;
}

/// Takes the input, and does something with it.
fn with_input<T>(act: impl FnOnce(&mut Session, &[u8]) -> T) -> T {
    let input = INPUT.take();
    SESSION.with_borrow_mut(|session| act(session, &input))
}

/// Gives bytes as the output.
fn put(bytes: Vec<u8>) {
    OUTPUT.set(bytes);
}

/// 1 and what is made of the answer, or 0 and the refusal as output.
fn answer<T>(answer: Result<T, bvlab_lab::Refusal>, code: impl FnOnce(T) -> u32) -> u32 {
    match answer {
        Ok(answer) => code(answer),
        Err(refusal) => {
            put(refused(&refusal).into_bytes());
            0
        }
    }
}

/// Makes room for an input of so many bytes, and tells where it is.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn bvlab_input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Where the output of the last call is.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn bvlab_output() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}

/// How many bytes it has.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn bvlab_output_length() -> usize {
    OUTPUT.with_borrow(Vec::len)
}

/// Takes the lessons.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn bvlab_hand_in() -> u32 {
    answer(with_input(Session::hand_in), |()| 1)
}

/// Takes a table.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn bvlab_hand_in_table() {
    with_input(|session, input| {
        let end = input.iter().position(|byte| *byte == 0);
        let (name, rest) = input.split_at(end.unwrap_or(input.len()));
        let name = String::from_utf8_lossy(name);
        session.hand_in_table(&name, rest.get(1..).unwrap_or_default().to_vec());
    });
}

/// Begins a run that is joined here.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn bvlab_begin() -> u32 {
    let begun = with_input(|session, scene| session.begin(scene, &say));
    answer(begun, |way| way as u32)
}

/// About how many bytes the run that is joined here takes in every worker.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn bvlab_memory() -> f64 {
    SESSION.with_borrow(Session::memory) as f64
}

/// Begins a share of a run.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn bvlab_share(index: usize, of: usize) -> u32 {
    let begun = with_input(|session, scene| session.share(scene, index, of));
    answer(begun, |()| 1)
}

/// Computes a resample of the share.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn bvlab_step() -> u32 {
    match SESSION.with_borrow_mut(Session::step) {
        ShareProgress::Resample => 0,
        ShareProgress::Kept(kept) => {
            put(kept);
            1
        }
        ShareProgress::Round(groups) => {
            put(groups);
            2
        }
        ShareProgress::Complete => 3,
        ShareProgress::Failed(message) => {
            put(message.into_bytes());
            4
        }
    }
}

/// Adds a resample that is kept.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn bvlab_keep() {
    with_input(|session, kept| session.keep(kept, &say));
}

/// Adds the groups of a share.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn bvlab_join() {
    with_input(Session::join);
}

/// Says the frames of the first resamples.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn bvlab_catch_up() {
    SESSION.with_borrow_mut(|session| session.catch_up(&say));
}

/// Says the frame of a round.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn bvlab_round() -> u32 {
    SESSION.with_borrow_mut(|session| session.round(&say)) as u32
}

/// Computes a run that is not shared, or the next resample of a simulation.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn bvlab_run_whole() -> u32 {
    SESSION.with_borrow_mut(|session| session.run_whole(&say)) as u32
}

/// Says the last message of the run that ended last.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn bvlab_end(seconds: f64) {
    SESSION.with_borrow_mut(|session| session.end(seconds, &say));
}

/// Makes a file of a finished run.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn bvlab_export() -> u32 {
    answer(with_input(Session::export), |exported| match exported {
        ExportResult::Made(file) => {
            put(file);
            1
        }
        ExportResult::NotRun => 2,
    })
}

/// Gives up what is under way.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn bvlab_stop() {
    SESSION.with_borrow_mut(Session::stop);
}
