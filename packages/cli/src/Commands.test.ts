import { tmpdir } from "node:os"

import { describe, expect, it } from "vitest"

import { commandFor, wholeCommand } from "./Commands.ts"
import { runCommand } from "./testing/RunCommand.ts"

const run = (...argv: ReadonlyArray<string>) => runCommand(argv, { cwd: tmpdir(), env: {} })
const listed = (command: Awaited<ReturnType<typeof commandFor>>) =>
  command.subcommands.flatMap(({ commands }) =>
    commands.map(({ name, alias, description }) => ({ name, alias, description }))
  )
/** The commands that have more than a name and a description: they are loaded. */
const loaded = (command: Awaited<ReturnType<typeof commandFor>>) =>
  command.subcommands.flatMap(({ commands }) =>
    commands
      .filter(({ examples, subcommands }) => examples.length > 0 || subcommands.length > 0)
      .map(({ name }) => name)
  )

describe("the commands of atrium", () => {
  it("[C-366] are all in its help, with what their own help says", async () => {
    const all = listed(await wholeCommand())
    expect(listed(await commandFor(["--help"]))).toEqual(all)
    const { out } = await run("--help")
    for (const { name, description } of all) {
      expect(out).toContain(description)
      expect((await run(name === "simulate" ? "start" : name, "--help")).code).toBe(0)
    }
    expect(all).toContainEqual(expect.objectContaining({ name: "simulate", alias: "sim" }))
  })

  it.each<readonly [string, ReadonlyArray<string>]>([
    ["--help", []],
    ["roms", []],
    ["rooms get arena", ["rooms"]],
    ["--help rooms", ["rooms"]],
    ["deploy rooms", ["deploy"]]
  ])("[C-366] `atrium %s` loads %j", async (line, names) => {
    expect(loaded(await commandFor(line.split(" ")))).toEqual(names)
  })

  it("[C-366] are all in a script of completions, with their flags", async () => {
    const { code, out } = await run("--completions", "bash")
    expect(code).toBe(0)
    for (const flag of ["--idle-longer-than", "--no-static", "--site-port"]) {
      expect(out).toContain(flag)
    }
  })

  it("[C-366] a name that is none is told with the nearest one", async () => {
    expect(await run("roms")).toMatchObject({ code: 2, err: expect.stringContaining("rooms") })
  })
})
