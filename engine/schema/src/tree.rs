//! Reads requests of every format.
//!
//! A derived reader is code of its own for every type in every format, and a web page would download all of
//! it. So each format is read into a [`Tree`], in one copy, and a type takes its fields from there.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    collections::BTreeMap,
    fmt,
};

use serde::{
    Deserialize, Deserializer,
    de::{self, IntoDeserializer, MapAccess, SeqAccess, Visitor},
};

/// A request of any format as a tree.
///
/// # Examples
/// ```
/// use textveil_schema::tree::Tree;
///
/// let tree: Tree<'_> = serde_json::from_str(r#"{"name": "badge"}"#)?;
/// let (name, value) = tree.entries()?.next().unwrap();
/// assert_eq!((name, value.text()?), ("name", "badge"));
/// let kind: Option<String> = tree.object(|fields| fields.optional("type"))?;
/// assert_eq!(kind, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub enum Tree<'t> {
    /// JSON's `null`.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number that is not negative.
    Unsigned(u64),
    /// A whole number.
    Signed(i64),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// A string.
    Text(Cow<'t, str>),
    /// A list.
    List(Vec<Self>),
    /// An object. It is boxed, since a tree has many more strings.
    Object(Box<Object<'t>>),
}

/// The fields of an object, and which of them its readers know.
#[derive(Default)]
pub struct Object<'t> {
    /// In the order in which they were sent.
    fields: Vec<Field<'t>>,
    /// Names that readers asked for and that are absent; `None` until a reader looks at the object.
    absent: RefCell<Option<Vec<&'static str>>>,
}

struct Field<'t> {
    name: Cow<'t, str>,
    value: Tree<'t>,
    /// Whether a reader asked for it.
    is_known: Cell<bool>,
}

/// A type that can be read.
///
/// # Examples
/// ```
/// use textveil_schema::tree::{Fault, FromTree, Tree};
///
/// struct Badge(u16);
///
/// impl FromTree for Badge {
///     fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
///         tree.object(|fields| Self(fields.required("number")))
///     }
/// }
///
/// let tree: Tree<'_> = serde_json::from_str(r#"{"number": 17}"#)?;
/// assert_eq!(Badge::from_tree(&tree)?.0, 17);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait FromTree: Sized {
    /// Reads a value of the type.
    ///
    /// # Errors
    /// If the tree is not of the type.
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault>;
}

/// Reads two types from the same tree: parts of one request.
impl<A: FromTree, B: FromTree> FromTree for (A, B) {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        Ok((A::from_tree(tree)?, B::from_tree(tree)?))
    }
}

/// Why a tree is not of a type.
#[derive(Debug, Default)]
pub struct Fault {
    /// The path to the fault, as far as the names are ours.
    ///
    /// An example is `custom_detectors[0].pattern`.
    pub path: String,
    /// The field that is missing there, if that is what is wrong.
    pub missing: Option<&'static str>,
}

impl Fault {
    /// Returns the fault as seen from the object with the field `name`.
    ///
    /// # Examples
    /// ```
    /// use textveil_schema::tree::Fault;
    ///
    /// let fault = Fault::default().inside("pattern").inside("detector");
    /// assert_eq!(fault.path, "detector.pattern");
    /// ```
    #[inline]
    pub fn inside(mut self, name: &str) -> Self {
        self.step(name);
        self
    }

    /// The same fault, seen from the list of which this is an entry.
    #[inline]
    fn at(mut self, index: usize) -> Self {
        self.step(&format!("[{index}]"));
        self
    }

    #[inline]
    fn step(&mut self, step: &str) {
        if !self.path.is_empty() && !self.path.starts_with('[') {
            self.path.insert(0, '.');
        }
        self.path.insert_str(0, step);
    }
}

impl fmt::Display for Fault {
    #[inline]
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.missing {
            Some(name) => write!(out, "{} has no {name}", self.path),
            None => write!(out, "{} is not as documented", self.path),
        }
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    /// Drops messages, because they may quote the input.
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::default()
    }
}

/// A field that no reader asked for.
#[derive(Debug, PartialEq, Eq)]
pub struct Unknown<'t> {
    /// Its path, such as `operators.email.keeplast`. It leaves out names that may be personal data.
    pub path: String,
    /// Its name.
    pub name: &'t str,
    /// The names that the readers of its object know.
    pub known: Vec<&'t str>,
}

impl Unknown<'_> {
    /// The same field, seen from the object or the list around it.
    fn behind(mut self, step: &str) -> Self {
        if !step.is_empty() {
            let separator = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
            self.path = format!("{step}{separator}{}", self.path);
        }
        self
    }
}

/// Longest name that a message repeats, in bytes.
const LONGEST_QUOTED: usize = 40;

/// A name if it is a word such as programs have, or nothing: any other may be personal data.
fn quotable(name: &str) -> &str {
    let is_word = name.len() <= LONGEST_QUOTED
        && name.bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'_');
    if is_word { name } else { "" }
}

impl<'t> Tree<'t> {
    /// Returns the result of `read` on the fields of an object.
    ///
    /// Rejects a list: read by position, `[]` would be a policy condition that always holds.
    ///
    /// # Errors
    /// If the value is not an object, or for the first field that `read` rejects.
    pub fn object<T>(&self, read: impl FnOnce(&Fields<'_>) -> T) -> Result<T, Fault> {
        let fields = Fields { object: self.looked_at()?, fault: Cell::new(None) };
        let value = read(&fields);
        fields.fault.into_inner().map_or(Ok(value), Err)
    }

    /// Returns the fields of an object, each with its name.
    ///
    /// For objects whose names are the caller's: all of them are known.
    ///
    /// # Errors
    /// If the value is not an object.
    pub fn entries(&self) -> Result<impl Iterator<Item = (&str, &Tree<'t>)>, Fault> {
        let object = self.looked_at()?;
        Ok(object.fields.iter().map(|field| {
            field.is_known.set(true);
            (field.name.as_ref(), &field.value)
        }))
    }

    fn looked_at(&self) -> Result<&Object<'t>, Fault> {
        let Self::Object(object) = self else { return Err(Fault::default()) };
        object.absent.borrow_mut().get_or_insert_default();
        Ok(object)
    }

    /// Returns the first field that no reader asked for.
    ///
    /// The tree has been read before. Objects that no reader looked at are left out: a reader stops at a fault.
    ///
    /// # Examples
    /// ```
    /// use textveil_schema::tree::Tree;
    ///
    /// let tree: Tree<'_> = serde_json::from_str(r#"{"size": 1, "colour": "red"}"#)?;
    /// let _: (u8, bool) = tree.object(|fields| (fields.or("size", 7), fields.optional("open")))?;
    /// let unknown = tree.unknown().unwrap();
    /// assert_eq!((unknown.path.as_str(), unknown.name), ("colour", "colour"));
    /// assert_eq!(unknown.known, ["size", "open"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unknown(&self) -> Option<Unknown<'_>> {
        match self {
            Self::List(list) => list
                .iter()
                .enumerate()
                .find_map(|(index, value)| Some(value.unknown()?.behind(&format!("[{index}]")))),
            Self::Object(object) => {
                let absent = object.absent.borrow();
                let absent = absent.as_ref()?;
                object.fields.iter().find_map(|field| {
                    if field.is_known.get() {
                        return field.value.unknown().map(|unknown| unknown.behind(quotable(&field.name)));
                    }
                    let known = object.fields.iter().filter(|field| field.is_known.get());
                    Some(Unknown {
                        path: quotable(&field.name).to_owned(),
                        name: &field.name,
                        known: known.map(|field| field.name.as_ref()).chain(absent.iter().copied()).collect(),
                    })
                })
            }
            _ => None,
        }
    }

    /// Returns the string.
    ///
    /// # Errors
    /// If the value is not a string.
    #[inline]
    pub fn text(&self) -> Result<&str, Fault> {
        match self {
            Self::Text(text) => Ok(text),
            _ => Err(Fault::default()),
        }
    }
}

/// The fields of an object while they are read.
///
/// A faulty field is recorded and read as its default; [`Tree::object`] then returns the fault. Returning at
/// each field would double the code size.
///
/// # Examples
/// ```
/// use textveil_schema::tree::{Fault, Tree};
///
/// fn read(json: &str) -> Result<(String, u8, Vec<String>, bool), Fault> {
///     let tree: Tree<'_> = serde_json::from_str(json).map_err(|_| Fault::default())?;
///     tree.object(|fields| {
///         fields.only(&["name", "size", "tags", "open"]);
///         let size = fields.or("size", 7);
///         if size > 9 {
///             fields.refuse(Fault::default().inside("size"));
///         }
///         (fields.required("name"), size, fields.optional("tags"), fields.whole("open"))
///     })
/// }
///
/// assert_eq!(read(r#"{"name": "a"}"#).unwrap(), ("a".to_owned(), 7, Vec::new(), false));
/// assert_eq!(read("{}").unwrap_err().missing, Some("name"));
/// assert_eq!(read(r#"{"name": "a", "size": 12}"#).unwrap_err().path, "size");
/// ```
pub struct Fields<'t> {
    object: &'t Object<'t>,
    fault: Cell<Option<Fault>>,
}

impl Fields<'_> {
    /// Reads a field that may be absent or `null`.
    pub fn optional<T: FromTree + Default>(&self, name: &'static str) -> T {
        self.read::<Option<T>>(name).flatten().unwrap_or_default()
    }

    /// Reads a field like [`Fields::optional`], with a shorter path in its fault.
    ///
    /// The fault names the field but not the fields inside it.
    pub fn whole<T: FromTree + Default>(&self, name: &'static str) -> T {
        let tree = self.find(name).map(Option::<T>::from_tree);
        tree.and_then(|read| self.note(read.map_err(|fault| Fault { path: name.to_owned(), ..fault })))
            .flatten()
            .unwrap_or_default()
    }

    /// Reads a field that may be absent.
    pub fn or<T: FromTree>(&self, name: &'static str, default: T) -> T {
        self.read(name).unwrap_or(default)
    }

    /// Reads a required field.
    pub fn required<T: FromTree + Default>(&self, name: &'static str) -> T {
        self.read(name).unwrap_or_else(|| {
            self.refuse(Fault { path: String::new(), missing: Some(name) });
            T::default()
        })
    }

    /// Rejects fields with other names.
    #[inline]
    pub fn only(&self, names: &[&str]) {
        if !self.object.fields.iter().all(|field| names.contains(&field.name.as_ref())) {
            self.refuse(Fault::default());
        }
    }

    /// Treats fields with other names as known.
    ///
    /// # Examples
    /// ```
    /// use textveil_schema::tree::Tree;
    ///
    /// let tree: Tree<'_> = serde_json::from_str(r#"{"rule": "tea", "leaves": 3}"#)?;
    /// tree.object(|fields| fields.ignore_others())?;
    /// assert_eq!(tree.unknown(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn ignore_others(&self) {
        for field in &self.object.fields {
            field.is_known.set(true);
        }
    }

    /// Rejects the object with a fault; the first fault stays.
    #[inline]
    pub fn refuse(&self, fault: Fault) {
        self.fault.set(Some(self.fault.take().unwrap_or(fault)));
    }

    fn read<T: FromTree>(&self, name: &'static str) -> Option<T> {
        let read = self.find(name).map(T::from_tree)?;
        self.note(read.map_err(|fault| fault.inside(name)))
    }

    fn note<T>(&self, read: Result<T, Fault>) -> Option<T> {
        read.map_err(|fault| self.refuse(fault)).ok()
    }

    /// A duplicate field is rejected: readers differ about which of the two counts.
    #[inline]
    fn find(&self, name: &'static str) -> Option<&Tree<'_>> {
        let mut named = self.object.fields.iter().filter(|field| field.name == name);
        let Some(field) = named.next() else {
            self.note_absent(name);
            return None;
        };
        field.is_known.set(true);
        for again in named {
            again.is_known.set(true);
            self.refuse(Fault::default().inside(name));
        }
        Some(&field.value)
    }

    /// An empty object has no unknown field, and most options of a call are such objects.
    fn note_absent(&self, name: &'static str) {
        if !self.object.fields.is_empty() {
            self.object.absent.borrow_mut().get_or_insert_default().push(name);
        }
    }
}

impl FromTree for bool {
    #[inline]
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        match tree {
            Tree::Bool(flag) => Ok(*flag),
            _ => Err(Fault::default()),
        }
    }
}

macro_rules! whole_numbers {
    ($($number:ty)*) => {$(
        impl FromTree for $number {
            #[inline]
            fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
                match tree {
                    Tree::Unsigned(number) => (*number).try_into().ok(),
                    Tree::Signed(number) => (*number).try_into().ok(),
                    _ => None,
                }
                .ok_or_else(Fault::default)
            }
        }
    )*};
}

whole_numbers!(u8 i8 u16 i16 u32 i64 usize);

impl FromTree for f64 {
    #[inline]
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        match tree {
            Tree::Unsigned(number) => Ok(*number as f64),
            Tree::Signed(number) => Ok(*number as f64),
            Tree::Float(number) => Ok(*number),
            _ => Err(Fault::default()),
        }
    }
}

impl FromTree for char {
    #[inline]
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        let mut letters = tree.text()?.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => Ok(letter),
            _ => Err(Fault::default()),
        }
    }
}

impl FromTree for String {
    #[inline]
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.text().map(str::to_owned)
    }
}

impl FromTree for Cow<'static, str> {
    #[inline]
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        String::from_tree(tree).map(Cow::Owned)
    }
}

impl<T: FromTree> FromTree for Option<T> {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        match tree {
            Tree::Null => Ok(None),
            _ => T::from_tree(tree).map(Some),
        }
    }
}

impl<T: FromTree> FromTree for Vec<T> {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        let Tree::List(list) = tree else { return Err(Fault::default()) };
        let mut values = Self::with_capacity(list.len());
        for (index, value) in list.iter().enumerate() {
            values.push(T::from_tree(value).map_err(|fault| fault.at(index))?);
        }
        Ok(values)
    }
}

impl<T: FromTree + Clone> FromTree for Cow<'static, [T]> {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        Vec::from_tree(tree).map(Cow::Owned)
    }
}

/// An object whose names are the caller's: a path ends before them.
impl<T: FromTree> FromTree for BTreeMap<String, T> {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        let mut values = Self::new();
        for (name, value) in tree.entries()? {
            let value = T::from_tree(value).map_err(|fault| Fault { path: String::new(), ..fault })?;
            values.insert(name.to_owned(), value);
        }
        Ok(values)
    }
}

/// Reads a type that serde reads from a name.
///
/// # Errors
/// If the tree is not one of the names.
///
/// # Examples
/// ```
/// use textveil_schema::{Product, tree::{Tree, named}};
///
/// let product: Product = named(&Tree::Text("digit_sum".into()))?;
/// assert_eq!(product, Product::DigitSum);
/// assert!(named::<Product>(&Tree::Text("sum".into())).is_err());
/// # Ok::<(), textveil_schema::tree::Fault>(())
/// ```
pub fn named<'t, T: Deserialize<'t>>(tree: &'t Tree<'_>) -> Result<T, Fault> {
    T::deserialize(tree.text()?.into_deserializer())
}

/// Implements serde's `Deserialize` by [`FromTree`], for callers that store a type.
///
/// # Examples
/// ```
/// use textveil_schema::tree::{Fault, FromTree, Tree, deserialize_by_tree};
///
/// struct Badge(u16);
///
/// impl FromTree for Badge {
///     fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
///         tree.object(|fields| Self(fields.required("number")))
///     }
/// }
///
/// deserialize_by_tree!(Badge);
///
/// let badge: Badge = serde_json::from_str(r#"{"number": 17}"#)?;
/// assert_eq!(badge.0, 17);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! deserialize_by_tree {
    ($($read:ty)*) => {$(
        impl<'de> serde::Deserialize<'de> for $read {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let tree = <$crate::tree::Tree<'_> as serde::Deserialize>::deserialize(from)?;
                <Self as $crate::tree::FromTree>::from_tree(&tree).map_err(serde::de::Error::custom)
            }
        }
    )*};
}

pub use deserialize_by_tree;

impl<'de> Deserialize<'de> for Tree<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Trees;

        impl<'de> Visitor<'de> for Trees {
            type Value = Tree<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a value")
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Tree::Null)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
                Ok(Tree::Bool(value))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
                Ok(Tree::Unsigned(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
                Ok(Tree::Signed(value))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
                Ok(Tree::Float(value))
            }

            fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
                Ok(Tree::Text(Cow::Borrowed(value)))
            }

            fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
                Ok(Tree::Text(Cow::Owned(value.to_owned())))
            }

            fn visit_string<E>(self, value: String) -> Result<Self::Value, E> {
                Ok(Tree::Text(Cow::Owned(value)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element()? {
                    values.push(value);
                }
                Ok(Tree::List(values))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some((name, value)) = object.next_entry()? {
                    let Tree::Text(name) = name else { return Err(de::Error::custom("a name is no text")) };
                    fields.push(Field { name, value, is_known: Cell::new(false) });
                }
                Ok(Tree::Object(Box::new(Object { fields, absent: RefCell::default() })))
            }
        }

        from.deserialize_any(Trees)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq)]
    struct Piece {
        name: String,
        size: u8,
        tags: Vec<String>,
    }

    impl FromTree for Piece {
        fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
            tree.object(|fields| Self {
                name: fields.required("name"),
                size: fields.or("size", 7),
                tags: fields.optional("tags"),
            })
        }
    }

    fn read<T: FromTree>(json: &str) -> Result<T, String> {
        let tree: Tree<'_> = serde_json::from_str(json).map_err(|_| "no tree".to_owned())?;
        T::from_tree(&tree).map_err(|fault| fault.to_string())
    }

    #[test]
    fn fields_and_faults() {
        let part = |name: &str, size: u8, tags: &[&str]| Piece {
            name: name.to_owned(),
            size,
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        };
        for (json, want) in [
            (r#"{"name": "a"}"#, Ok(part("a", 7, &[]))),
            (r#"{"name": "a", "size": 1, "tags": ["b"]}"#, Ok(part("a", 1, &["b"]))),
            // `null` is absent for an optional field only
            (r#"{"name": "a", "tags": null}"#, Ok(part("a", 7, &[]))),
            (r#"{"name": "a", "size": null}"#, Err("size is not as documented")),
            (r#"{"name": null}"#, Err("name is not as documented")),
            // unknown fields are ignored, and those that are there twice are not
            (r#"{"name": "a", "other": 1}"#, Ok(part("a", 7, &[]))),
            (r#"{"name": "a", "name": "b"}"#, Err("name is not as documented")),
            (r#"{}"#, Err(" has no name")),
            (r#"["a"]"#, Err(" is not as documented")),
            (r#"{"name": "a", "size": 256}"#, Err("size is not as documented")),
            (r#"{"name": "a", "size": -1}"#, Err("size is not as documented")),
            (r#"{"name": "a", "tags": ["b", 1]}"#, Err("tags[1] is not as documented")),
            // the first fault is reported
            (r#"{"name": 1, "size": "x"}"#, Err("name is not as documented")),
        ] {
            assert_eq!(read::<Piece>(json), want.map_err(str::to_owned), "{json}");
        }
    }

    #[test]
    fn unknown_fields() {
        type Pieces = BTreeMap<String, Vec<Piece>>;
        for (json, want) in [
            (r#"{"a": [{"name": "b", "size": 1, "tags": null}]}"#, None),
            (
                r#"{"a": [{"name": "b"}, {"name": "c", "sise": 1}]}"#,
                Some(("a[1].sise", "sise", vec!["name", "size", "tags"])),
            ),
            // a reader stops at the second piece, and the third may have any field
            (r#"{"a": [{"name": "b"}, {}, {"other": 1}]}"#, None),
            // a missing field is one under another name
            (
                r#"{"a": [{"nmae": "b", "size": 1}]}"#,
                Some(("a[0].nmae", "nmae", vec!["size", "name", "tags"])),
            ),
            // names of the caller's are quoted if they are words
            (
                r#"{"jan.novak@example.cz": [{"name": "b", "x": 1}]}"#,
                Some(("[0].x", "x", vec!["name", "size", "tags"])),
            ),
            (
                r#"{"a": [{"name": "b", "jan.novak@example.cz": 1}]}"#,
                Some(("a[0]", "jan.novak@example.cz", vec!["name", "size", "tags"])),
            ),
            ("[]", None),
        ] {
            let tree: Tree<'_> = serde_json::from_str(json).unwrap();
            drop(Pieces::from_tree(&tree));
            let found = tree.unknown();
            assert_eq!(
                found.as_ref().map(|one| (one.path.as_str(), one.name, one.known.clone())),
                want,
                "{json}"
            );
        }
    }

    #[test]
    fn lists_and_maps() {
        assert_eq!(read::<Vec<u16>>("[1, 2]"), Ok(vec![1, 2]));
        assert_eq!(read::<Vec<Piece>>(r#"[{"name": "a"}, {}]"#), Err("[1] has no name".to_owned()));
        assert_eq!(read::<Vec<f64>>("[1, -2, 0.5]"), Ok(vec![1.0, -2.0, 0.5]));
        assert_eq!(read::<char>(r#""ab""#), Err(" is not as documented".to_owned()));
        let map = read::<BTreeMap<String, u8>>(r#"{"a": 1}"#);
        assert_eq!(map, Ok(BTreeMap::from([("a".to_owned(), 1)])));
        // the names of a map are the caller's, and no fault repeats them
        let secret = read::<BTreeMap<String, u8>>(r#"{"jan.novak@example.cz": "x"}"#);
        assert_eq!(secret, Err(" is not as documented".to_owned()));
    }
}
