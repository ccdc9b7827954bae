import { readFileSync } from "node:fs"
import { join } from "node:path"

export const repository = join(import.meta.dirname, "../..")

/** Where the tarballs are; the service hands them out from here. */
export const tarballFolder = join(repository, "dist/packages")

/** The packages that are built for people outside of the repository, by the names of their tarballs. */
export const packageNames = ["sdk", "cli", "spec-tests"] as const
export type PackageName = (typeof packageNames)[number]

/** The package.json of a workspace. */
export interface Workspace {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
}

export const workspaceOf = (name: string): Workspace =>
  JSON.parse(readFileSync(join(repository, `packages/${name}/package.json`), "utf8"))
