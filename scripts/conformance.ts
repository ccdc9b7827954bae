import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync } from "node:fs"
import { join } from "node:path"

import { mutateOwn } from "./conformance/MutateOwn.ts"
import { startOwnService } from "./conformance/OwnService.ts"

// npm run conformance: all of the suite against our own service, which it starts (embedded
//   PostgreSQL) and stops; reports go to .conformance/, and conformance.md to the root.
// npm run conformance -- run --only 'keys.*,auth' [--tier A] [--seed 2] …: a part of it.
// npm run conformance -- keys auth.401: the same, shorter.
// npm run conformance -- smoke: whether all that our configuration declares is there.
// npm run conformance -- list | explain ID | diff BEFORE AFTER | report FILE: these start nothing.
// npm run conformance -- mutate [--only M-15,M-16] [--thorough] [--jobs 2]: whether the suite finds our service's
//   mutants (scripts/conformance/mutants), each of which it starts.
// npm run conformance -- run --base-url URL | --config FILE …: against another service.

const root = join(import.meta.dirname, "..")
const suite = join(root, "packages/spec-tests/src/main.ts")
const reports = join(root, ".conformance")

const startsNothing = ["list", "explain", "diff", "report", "mutate"]
const startsService = ["run", "smoke"]

let child: ChildProcess | null = null
let ending = false

/** @returns the exit code of the suite. */
const runSuite = async (args: ReadonlyArray<string>): Promise<number> => {
  child = spawn(process.execPath, [suite, ...args], { stdio: "inherit", cwd: root })
  const [code] = await once(child, "exit")
  child = null
  return Number(code ?? 1)
}

const runOnOwn = async (args: ReadonlyArray<string>): Promise<number> => {
  const service = await startOwnService()
  try {
    return ending ? 130 : await runSuite([...args, "--config", service.config])
  } finally {
    await service.stop()
  }
}

const runAll = async (): Promise<number> => {
  const kinds = "terminal,json,junit,md"
  const code = await runOnOwn(["run", "--profile", "ours", "--report", kinds, "--out", reports])
  // What was interrupted or broke is not the state of the project.
  if (code <= 1) copyFileSync(join(reports, "conformance.md"), join(root, "conformance.md"))
  return code
}

const names = (args: ReadonlyArray<string>, flag: string): boolean =>
  args.some((arg) => arg === flag || arg.startsWith(`${flag}=`))

const main = async ([command, ...args]: ReadonlyArray<string>): Promise<number> => {
  if (command === undefined) return runAll()
  if (command === "mutate" && !names(args, "--start")) return mutateOwn(args)
  if (command.startsWith("-") || startsNothing.includes(command)) {
    return runSuite([command, ...args])
  }
  if (!startsService.includes(command)) {
    const only = [command, ...args].map((prefix) => `${prefix}*`).join(",")
    return runOnOwn(["run", "--profile", "ours", "--only", only])
  }
  const asked = [command, ...args]
  if (["--base-url", "--config", "--help"].some((flag) => names(args, flag))) return runSuite(asked)
  const own = command === "run" && !names(args, "--profile") && !names(args, "--lenient")
  return runOnOwn(own ? [...asked, "--profile", "ours"] : asked)
}

// The suite ends by itself and reports what ran; the service is stopped after it.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    ending = true
    // A terminal gives SIGINT to all; SIGTERM comes to this process alone.
    if (signal === "SIGTERM") child?.kill(signal)
  })
}
process.exitCode = await main(process.argv.slice(2))
