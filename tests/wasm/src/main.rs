//! Prints what the module gives, natively.

fn main() {
    print!("{}", bvlab_digits::digits());
}
