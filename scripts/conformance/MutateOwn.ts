import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"

import { interruptible } from "@atrium/spec-tests/commands/CommandEnd"
import { defaultJobs, mutate } from "@atrium/spec-tests/mutants/Mutate"

import { openDatabases } from "./MutantDatabases.ts"
import { MutantServices } from "./MutantServices.ts"
import { mutantsFolder } from "./OwnMutants.ts"

/** `[--only M-15,M-16] [--thorough] [--jobs 2]`: the suite's `mutate` on our own service. @returns an exit code. */
export const mutateOwn = async (args: ReadonlyArray<string>): Promise<number> => {
  const text = { type: "string" } as const
  const options = { only: text, jobs: text, thorough: { type: "boolean" } } as const
  const { values } = parseArgs({ args: [...args], options })
  const folder = await mkdtemp(join(tmpdir(), "atrium-mutants-"))
  const databases = await openDatabases(join(folder, "postgres"))
  const services = new MutantServices({ folder, makeDatabase: databases.make })
  try {
    return await interruptible((signal) =>
      mutate({
        folder: mutantsFolder,
        signal,
        jobs: Number(values.jobs ?? defaultJobs),
        thorough: values.thorough === true,
        only: (values.only ?? "").split(",").filter((id) => id !== ""),
        print: (line) => process.stdout.write(`${line}\n`),
        start: (mutant) => services.start(mutant)
      })
    )
  } finally {
    await services.stop()
    await databases.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
