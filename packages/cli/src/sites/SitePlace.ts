import { resolve } from "node:path"

import { readStatic } from "@atrium/domain/projects/ProjectFile"
import { Effect, type Option } from "effect"
import { Flag } from "effect/cli"

import { Misused } from "../CommandFailure.ts"
import { shown } from "../projects/ProjectFileText.ts"
import type { ProjectFolder } from "../projects/ProjectFolder.ts"
import { filled } from "../projects/ProjectParameters.ts"
import { WorkingDirectory } from "../WorkingDirectory.ts"

/** `--static` without a folder: that of the project file. No argument of a program can have it. */
const ofFile = "\0"

/** The flags of `deploy` about the site of a project. */
export const siteFlags = {
  static: Flag.String("static").pipe(
    Flag.withDescription(
      "Deploy the site alone: this folder, or the one that service.json names as static"
    ),
    Flag.withOptionalValue(ofFile),
    Flag.optional
  ),
  noStatic: Flag.Boolean("no-static").pipe(
    Flag.withDescription("Deploy the rooms alone, also when service.json has the key static"),
    Flag.withoutNegation,
    Flag.withDefault(false)
  ),
  label: Flag.String("label").pipe(
    Flag.withDescription("Label of the site, the first part of its address"),
    Flag.optional
  ),
  includeDotfiles: Flag.Boolean("include-dotfiles").pipe(
    Flag.withDescription("Publish hidden files as well; never .env*, .git and node_modules"),
    Flag.withoutNegation,
    Flag.withDefault(false)
  )
}

/** What the command line says of the site. */
export interface SiteInput {
  readonly static: Option.Option<string>
  readonly noStatic: boolean
  readonly label: Option.Option<string>
  readonly includeDotfiles: boolean
}

/** What is to be deployed, as the command line says. */
export interface SiteWish {
  /** The site alone, the rooms alone, or what the project has. */
  readonly ships: "site" | "rooms" | "both"
  /** The folder of the command line. */
  readonly dir: string | null
  readonly label: string | null
  readonly dotfiles: boolean
}

/** Reads the flags; refuses those that contradict each other. */
export const siteWish = Effect.fnUntraced(function* (input: SiteInput) {
  const { noStatic, includeDotfiles: dotfiles } = input
  const given = yield* filled("--static", input.static)
  const label = yield* filled("--label", input.label)
  if (noStatic && (given !== null || label !== null || dotfiles)) {
    const other = given !== null ? "--static" : label !== null ? "--label" : "--include-dotfiles"
    return yield* new Misused({
      message: `--no-static and ${other} contradict each other: leave one out`
    })
  }
  const wish: SiteWish = {
    ships: noStatic ? "rooms" : given === null ? "both" : "site",
    dir: given === ofFile ? null : given,
    label,
    dotfiles
  }
  return wish
})

/** The folder of a site that is to be deployed. */
export interface SitePlace {
  /** Absolute. */
  readonly root: string
  /** The same, as the user would write it. */
  readonly shown: string
  /** `null` = the service chooses. */
  readonly label: string | null
  readonly dotfiles: boolean
}

/**
 * The folder of the command line, which is relative to the working directory, else that of the project
 * file, which is relative to the file. Spec: Project file, static.
 *
 * @returns `null` = no site is to be deployed
 */
export const sitePlace = Effect.fnUntraced(function* (
  { text, root, shownPath }: Pick<ProjectFolder, "text" | "root" | "shownPath">,
  wish: SiteWish
) {
  if (wish.ships === "rooms") return null
  const cwd = yield* WorkingDirectory
  const key = yield* Effect.mapError(
    Effect.fromResult(readStatic(text)),
    (problem) => new Misused({ message: `${shownPath}: ${problem}` })
  )
  const label = wish.label ?? key?.label ?? null
  const path = wish.dir === null ? key && resolve(root, key.dir) : resolve(cwd, wish.dir)
  if (path !== null) {
    const place: SitePlace = { root: path, shown: shown(cwd, path), label, dotfiles: wish.dotfiles }
    return place
  }
  const flag = wish.label !== null ? "--label" : wish.dotfiles ? "--include-dotfiles" : "--static"
  if (wish.ships === "both" && flag === "--static") return null
  return yield* new Misused({
    message: `${flag}: no folder of a site is named; say --static <dir>, or "static": "<dir>" in ${shownPath}`
  })
})
