import { spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { Unsupported } from "../check/Expect.ts"
import type { CliOptions, CliProbe, CliRun } from "./CliProbe.ts"
import type { Trial } from "./Trial.ts"

const endsWithinMs = 15_000

/** The tool of the configuration, as processes of its own. */
export const cliProbe = (trial: Pick<Trial, "config" | "later" | "note" | "signal">): CliProbe => {
  const folder = async (files: Readonly<Record<string, string>> = {}): Promise<string> => {
    const path = await mkdtemp(join(tmpdir(), "conformance-"))
    trial.later(() => rm(path, { recursive: true, force: true }))
    for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text)
    return path
  }
  const run = async (args: ReadonlyArray<string>, options: CliOptions = {}): Promise<CliRun> => {
    const { cli } = trial.config
    if (cli === undefined) throw new Unsupported("the configuration names no command-line tool")
    const cwd = options.folder ?? (await folder())
    const home = await folder()
    const [program, ...before] = cli.argv
    const child = spawn(program, [...before, ...args], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1", ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
      timeout: options.forMs ?? endsWithinMs,
      killSignal: "SIGKILL",
      signal: trial.signal
    })
    const answered = new Promise<CliRun>((resolve, reject) => {
      let [stdout, stderr] = ["", ""]
      child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()))
      child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
      child.on("error", reject)
      child.on("close", (code) => resolve({ code: code ?? -1, stdout, stderr }))
    })
    child.stdin.on("error", () => undefined)
    child.stdin.end(options.stdin ?? "")
    const ran = await answered
    trial.note(`$ ${args.join(" ")}`)
    trial.note(`  exit ${ran.code}: ${ran.stdout.slice(0, 300)} ${ran.stderr.slice(0, 300)}`)
    return ran
  }
  return {
    folder,
    run,
    runLoggedIn: (args, options = {}) =>
      run(args, { ...options, env: { ...trial.config.cli?.loggedInEnv, ...options.env } })
  }
}
