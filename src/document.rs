//! Configuration documents (TOML or JSON) that remember where every value stands.
