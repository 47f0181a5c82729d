//! Locale names: `ll_CC.codeset[@modifier]`.

use std::fmt;
use std::str::FromStr;

use crate::codeset::CodeSet;
use crate::error::{Error, Result};
use crate::text::{DecodePolicy, TextCodec};

/// A locale name. Language and territory compare without case, the code set by its number; the modifier does not change bytes.
#[derive(Debug, Clone)]
pub struct Locale {
    language: String,
    territory: String,
    codeset_name: String,
    modifier: Option<String>,
}

impl Locale {
    /// Language in lower case, e.g. `en`.
    #[must_use]
    pub fn language(&self) -> &str {
        &self.language
    }

    /// Territory in upper case, e.g. `US`.
    #[must_use]
    pub fn territory(&self) -> &str {
        &self.territory
    }

    /// Code set as written: a name or a number.
    #[must_use]
    pub fn codeset_name(&self) -> &str {
        &self.codeset_name
    }

    /// Modifier after `@`.
    #[must_use]
    pub fn modifier(&self) -> Option<&str> {
        self.modifier.as_deref()
    }

    /// The code set.
    ///
    /// # Errors
    /// [`Error::CodeSet`] when the crate cannot convert it.
    pub fn codeset(&self) -> Result<CodeSet> {
        CodeSet::from_name(&self.codeset_name)
    }

    /// Codec for character data of a database with this locale; `overrides` replaces code sets (NEWCODESET).
    ///
    /// # Errors
    /// [`Error::CodeSet`] when the code set is neither replaced nor known.
    pub fn codec(&self, overrides: &[CodeSetOverride], policy: DecodePolicy) -> Result<TextCodec> {
        let known = self.codeset();
        let replaced = overrides.iter().find(|replacement| {
            replacement.name.eq_ignore_ascii_case(&self.codeset_name)
                || known.as_ref().map_or_else(
                    |_| self.codeset_name == replacement.number.to_string(),
                    |codeset| codeset.number() == replacement.number,
                )
        });
        let codeset = match replaced {
            Some(replacement) => replacement.codeset,
            None => known?,
        };
        Ok(TextCodec { codeset, policy })
    }
}

/// Parses `en_US.8859-1`, `en_us.57372`, `de_DE.8859-1@dict`.
/// A server's default: `en_US.8859-1`.
impl Default for Locale {
    fn default() -> Self {
        Self {
            language: "en".to_owned(),
            territory: "US".to_owned(),
            codeset_name: "8859-1".to_owned(),
            modifier: None,
        }
    }
}

impl FromStr for Locale {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad = || Error::syntax("locale (ll_CC.codeset[@modifier])", text);
        let (name, modifier) = match text.trim().split_once('@') {
            Some((name, modifier)) if !modifier.is_empty() => (name, Some(modifier.to_owned())),
            Some(_) => return Err(bad()),
            None => (text.trim(), None),
        };
        let (place, codeset) = name.split_once('.').ok_or_else(bad)?;
        let (language, territory) = place.split_once('_').ok_or_else(bad)?;
        let word = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric());
        let codeset_ok = !codeset.is_empty()
            && codeset
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        if !word(language) || !word(territory) || !codeset_ok {
            return Err(bad());
        }
        Ok(Self {
            language: language.to_ascii_lowercase(),
            territory: territory.to_ascii_uppercase(),
            codeset_name: codeset.to_owned(),
            modifier,
        })
    }
}

impl fmt::Display for Locale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}.{}", self.language, self.territory, self.codeset_name)?;
        self.modifier
            .as_ref()
            .map_or(Ok(()), |modifier| write!(f, "@{modifier}"))
    }
}

impl PartialEq for Locale {
    fn eq(&self, other: &Self) -> bool {
        let same_codeset = match (self.codeset(), other.codeset()) {
            (Ok(mine), Ok(theirs)) => mine == theirs,
            (Err(_), Err(_)) => self.codeset_name.eq_ignore_ascii_case(&other.codeset_name),
            _ => false,
        };
        same_codeset
            && self.language == other.language
            && self.territory == other.territory
            && self.modifier == other.modifier
    }
}

impl Eq for Locale {}

/// A NEWCODESET setting: "treat the database code set of this name or number as another one", as is usual for Chinese text
/// in databases created as 8859-1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeSetOverride {
    /// The code set to use.
    pub codeset: CodeSet,
    /// Informix name that it replaces.
    pub name: String,
    /// Informix number that it replaces.
    pub number: u16,
}

impl CodeSetOverride {
    /// Parses `label,informix name,informix number` triples separated by `:`, e.g. `gbk,8859-1,819`.
    ///
    /// # Errors
    /// [`Error::Syntax`] or [`Error::CodeSet`].
    pub fn parse_list(text: &str) -> Result<Vec<Self>> {
        text.split(':')
            .filter(|triple| !triple.trim().is_empty())
            .map(|triple| {
                let bad = || Error::syntax("NEWCODESET (label,name,number)", triple);
                let mut parts = triple.split(',').map(str::trim);
                let (Some(label), Some(name), Some(number), None) =
                    (parts.next(), parts.next(), parts.next(), parts.next())
                else {
                    return Err(bad());
                };
                let number = number.parse().map_err(|_| bad())?;
                Ok(Self {
                    codeset: CodeSet::from_label(label)?,
                    name: name.to_owned(),
                    number,
                })
            })
            .collect()
    }
}
