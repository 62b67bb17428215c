//! Prints what shipped experiments give natively, a line of JSON for each.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in bvlab_digits::digits()? {
        println!("{line}");
    }
    Ok(())
}
