//! Turns compiled WebAssembly into what ships: components with their documentation, modules with their JavaScript.
//!
//! `cargo xtask` runs it. It is a program of its own because its dependencies take longer to compile than all of
//! those tasks, and `cargo xtask serve` answers without it.

mod order;

use std::{env, fs, path::Path};

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;
use wasm_encoder::{ComponentSection as _, CustomSection};
use wit_component::{ComponentEncoder, DecodedWasm};
use wit_parser::{PackageMetadata, Resolve};

const USAGE: &str = "usage: xtask-wasm component MODULE WIT COMPONENT DESCRIPTION | document COMPONENT DOCS OUTPUT | glue MODULE NAME FOLDER | order MODULE";

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["component", module, wit, component, description] => {
            encode(Path::new(module), Path::new(wit), Path::new(component), Path::new(description))
        }
        ["document", component, docs, output] => {
            write(Path::new(output), &documented(&read(Path::new(component))?, docs)?)
        }
        ["glue", module, name, folder] => glue(Path::new(module), name, Path::new(folder)),
        ["order", module] => {
            let mut bytes = read(Path::new(module))?;
            order::name_by_order(&mut bytes)?;
            write(Path::new(module), &bytes)
        }
        _ => bail!("{USAGE}"),
    }
}

/// Converts a module with the description of its interfaces, which wit-bindgen embeds in it, to a component.
///
/// The description is written as a WIT package with its documentation.
fn encode(module: &Path, wit: &Path, to: &Path, description_to: &Path) -> Result<()> {
    let component = ComponentEncoder::default().validate(true).module(&read(module)?)?.encode()?;
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(wit)?;
    let description = wit_component::encode(&resolve, package)?;
    let world = resolve.select_world(&[package], None)?;
    let of_package = resolve.packages.get(package).and_then(|package| package.docs.contents.as_deref());
    let of_world = resolve.worlds.get(world).and_then(|world| world.docs.contents.as_deref());
    let docs = of_package.into_iter().chain(of_world).collect::<Vec<_>>().join("\n\n");
    write(description_to, &description)?;
    write(to, &documented(&component, &docs)?)
}

/// Adds the section `package-docs` to a component, with `docs` for its world.
///
/// Those of its interfaces are in the WIT package: what a component exports belongs to another package.
fn documented(component: &[u8], docs: &str) -> Result<Vec<u8>> {
    let DecodedWasm::Component(mut resolve, world) = wit_component::decode(component)? else {
        bail!("this is the description of a package and not a component");
    };
    let world = resolve.worlds.get_mut(world).context("a component has a world")?;
    world.docs.contents = Some(docs.to_owned());
    let package = world.package.context("the world of a component has a package")?;
    let section = CustomSection {
        name: PackageMetadata::SECTION_NAME.into(),
        data: PackageMetadata::extract(&resolve, package).encode()?.into(),
    };
    let mut documented = component.to_vec();
    section.append_to_component(&mut documented);
    // the description in a registry (OCI annotations)
    for (name, value) in
        [("description", docs), ("licenses", "Apache-2.0"), ("version", env!("CARGO_PKG_VERSION"))]
    {
        let data = value.as_bytes().into();
        CustomSection { name: name.into(), data }.append_to_component(&mut documented);
    }
    Ok(documented)
}

/// Writes a module of wasm-bindgen, and the script that loads it.
fn glue(module: &Path, name: &str, folder: &Path) -> Result<()> {
    Bindgen::new()
        .input_path(module)
        .out_name(name)
        .web(true)?
        .typescript(true)
        // the entry points of the package locate the WebAssembly
        .omit_default_module_path(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn write(path: &Path, contents: &[u8]) -> Result<()> {
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder
        .and_then(|()| fs::write(path, contents))
        .with_context(|| format!("cannot write {}", path.display()))
}
