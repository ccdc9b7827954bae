import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { mutate } from "@atrium/spec-tests/mutants/Mutate"
import { expect, test } from "vitest"

import { makeTestDatabase } from "../makeTestDatabase.ts"
import { MutantServices } from "./MutantServices.ts"
import { mutantsFolder } from "./OwnMutants.ts"

test("[C-97] mutants of the service and of the tool are killed", { timeout: 180_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "atrium-mutants-"))
  const makeDatabase = async (): Promise<string> => (await makeTestDatabase()).url
  const services = new MutantServices({ folder, makeDatabase })
  const lines: Array<string> = []
  try {
    const code = await mutate({
      folder: mutantsFolder,
      jobs: 2,
      signal: new AbortController().signal,
      // Of the key's machine, of a rule of the domain, of the tool, of what rooms run.
      only: ["M-30", "M-64", "M-148", "M-814"],
      thorough: false,
      print: (line) => lines.push(line),
      start: (mutant) => services.start(mutant)
    })
    expect(
      [code, lines.filter((line) => line.startsWith("killed")).length],
      lines.join("\n")
    ).toEqual([0, 4])
  } finally {
    await services.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
