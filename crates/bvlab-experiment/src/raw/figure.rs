//! Figures as they are written: tables whose keys come from the registry of figure kinds.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::Deserializer;

use super::Block;

/// A table of `[[figure]]`.
#[derive(Clone, Debug)]
pub struct RawFigure(pub(in super::super) Block);

/// The table `[look]`.
#[derive(Clone, Debug, Default)]
pub struct RawLook(pub(in super::super) Block);

impl<'de> Deserialize<'de> for RawFigure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Block::deserialize(deserializer).map(RawFigure)
    }
}

impl<'de> Deserialize<'de> for RawLook {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Block::deserialize(deserializer).map(RawLook)
    }
}

/// Where the schema of a figure stands once the kinds are known.
impl JsonSchema for RawFigure {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Figure".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "$ref": "#/$defs/Figure" })
    }
}

/// Where the schema of the look stands.
impl JsonSchema for RawLook {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Look".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "$ref": "#/$defs/Look" })
    }
}
