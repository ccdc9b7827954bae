import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { type PackageName, repository, workspaceOf } from "./Places.ts"

const descriptions: Readonly<Record<PackageName, string>> = {
  sdk: "Multiplayer rooms: their code, their schemas, and the client of the game.",
  cli: "The atrium command: deploys rooms and looks after them.",
  "spec-tests": "The conformance suite: every row of the specification, against any implementation."
}

/** What a package says of itself beside what all of them say. */
interface Parts {
  readonly folder: string
  /** Public packages that an install brings along. Their versions are those of the workspaces. */
  readonly dependencies: ReadonlyArray<string>
  readonly more: Readonly<Record<string, unknown>>
}

/** The exact versions that the workspaces of this repository name. */
const versionsOf = (names: ReadonlyArray<string>): Readonly<Record<string, string>> => {
  const known = ["sdk", "sim", "spec-tests"].map((name) => workspaceOf(name).dependencies)
  const all: Readonly<Record<string, string>> = Object.assign({}, ...known)
  return Object.fromEntries(
    names.map((name) => {
      const version = all[name]
      if (version === undefined) throw new Error(`${name}: no workspace names its version`)
      return [name, version]
    })
  )
}

/** Writes package.json, README.md and LICENSE of a package. */
export const writeManifest = (name: PackageName, { folder, dependencies, more }: Parts): void => {
  const { name: fullName, version } = workspaceOf(name)
  const manifest = {
    name: fullName,
    version,
    description: descriptions[name],
    license: "Apache-2.0",
    type: "module",
    engines: { node: ">=20" },
    ...more,
    dependencies: versionsOf(dependencies)
  }
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
  copyFileSync(join(repository, "LICENSE"), join(folder, "LICENSE"))
  const readme = readFileSync(join(repository, `packages/${name}/README.md`), "utf8")
  writeFileSync(join(folder, "README.md"), readme)
}
