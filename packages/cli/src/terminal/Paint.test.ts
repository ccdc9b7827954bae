import { stripVTControlCharacters } from "node:util"

import { ConfigProvider, Effect, Stdio } from "effect"
import { describe, expect, it } from "vitest"

import { coloured, faultText, levelText, paintOf, plain } from "./Paint.ts"

const painted = (env: Readonly<Record<string, string>>, terminals: ReadonlyArray<string>) =>
  Effect.all({ stdout: paintOf("stdout"), stderr: paintOf("stderr") }).pipe(
    Effect.map(({ stdout, stderr }) =>
      [stdout === coloured ? "stdout" : "", stderr === coloured ? "stderr" : ""].filter(
        (name) => name !== ""
      )
    ),
    Effect.provide(
      Stdio.layerTest({
        stdoutIsTerminal: Effect.succeed(terminals.includes("stdout")),
        stderrIsTerminal: Effect.succeed(terminals.includes("stderr"))
      })
    ),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env)),
    Effect.runPromise
  )

const [none, out, err, both] = [[], ["stdout"], ["stderr"], ["stdout", "stderr"]]

describe("paintOf", () => {
  it.each<
    readonly [Readonly<Record<string, string>>, ReadonlyArray<string>, ReadonlyArray<string>]
  >([
    [{}, both, both],
    [{}, out, out],
    [{}, err, err],
    [{}, none, none],
    [{ NO_COLOR: "1" }, both, none],
    [{ NO_COLOR: "" }, both, both],
    [{ FORCE_COLOR: "1" }, none, both],
    [{ FORCE_COLOR: "0" }, none, none],
    [{ FORCE_COLOR: "1", NO_COLOR: "1" }, both, none],
    [{ TERM: "dumb" }, both, none],
    [{ TERM: "xterm" }, out, out]
  ])("[C-369] with %j and terminals at %j, colours are on %j", async (env, terminals, expected) => {
    expect(await painted(env, terminals)).toEqual(expected)
  })
})

describe("a painted text", () => {
  it("[C-369] is the plain one between escapes, and an empty one stays empty", () => {
    for (const paint of [coloured.title, coloured.aside, coloured.fault, coloured.warning]) {
      expect(paint("a").split("a")).toEqual([
        expect.stringContaining("\u001b["),
        expect.stringContaining("\u001b[")
      ])
      expect(stripVTControlCharacters(paint("a"))).toBe("a")
      expect(paint("")).toBe("")
    }
  })

  it("[C-369] of a refusal is its code alone", () => {
    const message = "E_ROOM_IN_USE: the room is awake; not E_OTHER: either"
    expect(faultText(plain, message)).toBe(message)
    expect(faultText(coloured, message)).toBe(
      `${coloured.fault("E_ROOM_IN_USE")}: the room is awake; not E_OTHER: either`
    )
    expect(faultText(coloured, "nothing answers")).toBe("nothing answers")
  })

  it("[C-369] of a level is the more striking, the more it matters", () => {
    expect(levelText(coloured, "error", "ERROR")).toBe(coloured.fault("ERROR"))
    expect(levelText(coloured, "warn", "WARN ")).toBe(coloured.warning("WARN "))
    expect(levelText(coloured, "info", "INFO ")).toBe(coloured.aside("INFO "))
    expect(levelText(plain, "error", "ERROR")).toBe("ERROR")
  })
})
