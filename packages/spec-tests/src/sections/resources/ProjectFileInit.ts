import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"

import type { Probe } from "../../check/Check.ts"
import { holds, same, Untestable } from "../../check/Expect.ts"
import type { Trial } from "../../trial/Trial.ts"
import { done, refused } from "./FileCommands.ts"
import { fileOf } from "./ProjectFolders.ts"

/** Each check starts the tool several times. */
const timeoutMs = 120_000

/** A folder of this name with these files. */
const folderNamed = async (
  trial: Trial,
  name: string,
  files: Readonly<Record<string, string>> = {}
): Promise<string> => {
  const folder = join(await trial.cli.folder(), name)
  await mkdir(folder)
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text)
  return folder
}

const runInit = async (trial: Trial, folder: string, args: ReadonlyArray<string>): Promise<void> =>
  done("init", await trial.cli.runLoggedIn(["init", ...args], { folder }))

/** Flags with which static hosting is chosen, and declined. */
const flagsOf = ({
  config
}: Trial): { readonly yes: Array<string>; readonly no: Array<string> } => {
  const flags = config.cli?.initStatic
  if (flags === undefined) {
    throw new Untestable("the configuration does not say how static hosting is chosen at init")
  }
  return { yes: [...flags.yes], no: [...flags.no] }
}

/** The keys that `init` may write. */
const written = ["name", "static"]

export const initWritesName: Probe = {
  title: "init writes the directory's name, and no key that is added by hand",
  timeoutMs,
  run: async (trial) => {
    for (const directory of ["game", "My Ünusual game!"]) {
      const folder = await folderNamed(trial, directory)
      await runInit(trial, folder, [])
      const file = await fileOf(folder)
      same("the name", file["name"], directory)
      same(
        "other keys",
        Object.keys(file).filter((key) => !written.includes(key)),
        []
      )
    }
  }
}

export const initWritesStatic: Probe = {
  title: "init writes static when static hosting is chosen, and not when it is declined",
  timeoutMs,
  run: async (trial) => {
    const { yes, no } = flagsOf(trial)
    const [chosen, declined] = [await folderNamed(trial, "with"), await folderNamed(trial, "none")]
    await runInit(trial, chosen, yes)
    const { static: hosted, ...others } = await fileOf(chosen)
    const dir: unknown = typeof hosted === "string" ? hosted : Object(hosted)["dir"]
    holds("static names a folder", typeof dir === "string" && dir !== "", JSON.stringify(hosted))
    same("other keys", others, { name: "with" })
    await runInit(trial, declined, no)
    same("the file without static hosting", await fileOf(declined), { name: "none" })
  }
}

const earlier = {
  "service.json": '{"project":"p_0123456789abcdef",\n "name":"Kept" , "audienceRole":null}',
  "schema.ts": "export const mine = 1\n",
  "room.ts": "export const also = 2\n",
  "package.json": '{"name":"mine"}',
  "README.md": "mine"
}

export const initKeeps: Probe = {
  title: "init leaves every file as it is that is there, and with it the project and the name",
  timeoutMs,
  run: async (trial) => {
    const folder = await folderNamed(trial, "another name", earlier)
    for (let time = 1; time <= 2; time += 1) {
      await runInit(trial, folder, [])
      same("the files that were there", await textsIn(folder, Object.keys(earlier)), earlier)
    }
    const more = (await readdir(folder)).filter((name) => !Object.hasOwn(earlier, name))
    holds("init writes what is missing", more.length > 0, more.join(", "))
  }
}

export const initSkipsMalformed: Probe = {
  title: "init leaves a malformed project file as it is",
  timeoutMs,
  run: async (trial) => {
    for (const text of ['{"name": "half', "[]", '{"name": 5}', ""]) {
      const folder = await folderNamed(trial, "game", { "service.json": text })
      await trial.cli.runLoggedIn(["init"], { folder })
      same(`the file ${text}`, await textsIn(folder, ["service.json"]), { "service.json": text })
    }
    // A tool that writes no file at all leaves each as it is, too.
    const folder = await folderNamed(trial, "game", {})
    await runInit(trial, folder, [])
    same("the name without a file", (await fileOf(folder))["name"], "game")
  }
}

export const initTakesNoConfig: Probe = {
  title: "init refuses -c and --config, and writes nothing then",
  timeoutMs,
  run: async (trial) => {
    const files = { "game.json": '{"name":"other"}' }
    for (const flag of ["-c", "--config"]) {
      const folder = await folderNamed(trial, "game", files)
      const ran = await trial.cli.runLoggedIn(["init", flag, "game.json"], { folder })
      refused(`init ${flag}`, ran, [])
      same("the files", await readdir(folder), ["game.json"])
      same("the named file", await textsIn(folder, ["game.json"]), files)
      await runInit(trial, folder, [])
      same("the name without the flag", (await fileOf(folder))["name"], "game")
    }
  }
}

const textsIn = async (
  folder: string,
  names: ReadonlyArray<string>
): Promise<Readonly<Record<string, string>>> => {
  const texts: Record<string, string> = {}
  for (const name of names) texts[name] = await readFile(join(folder, name), "utf8")
  return texts
}
