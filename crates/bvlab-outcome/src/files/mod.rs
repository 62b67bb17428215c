//! Folders of results: tables and a manifest, written whole or not at all.

mod commit;
mod disk;
mod error;
mod folder;
mod hold;
mod parquet;
mod parts;
mod saving;
mod staging;

pub use disk::{is_plain_name, refuse_link, write_whole};
pub use error::OutcomeError;
pub use folder::{
    Condition, Manifest, TableNote, VariantNote, Verification, altered, read, read_places,
    read_words, verify,
};
pub use parquet::contents as parquet_contents;
pub use parts::{SavedGroups, ShardNote};
pub use saving::Saving;
pub use staging::Staging;
