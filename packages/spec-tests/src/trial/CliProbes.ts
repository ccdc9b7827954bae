import { spawn } from "node:child_process"
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { Mismatch, Unsupported, Untestable } from "../check/Expect.ts"
import type { CliOptions, CliProbe, CliProject, CliRun } from "./CliProbe.ts"
import type { Trial } from "./Trial.ts"
import type { Witness } from "./Witness.ts"

const endsWithinMs = 45_000
/** The effect of a command may become visible this long after the command has ended. */
const seenWithinMs = 2_000

type CliTrial = Pick<Trial, "config" | "later" | "note" | "patience" | "signal"> & {
  readonly witness: Pick<Witness, "ran">
}

/** The tool of the configuration, as processes of its own. */
export const cliProbe = (trial: CliTrial): CliProbe => {
  const folder = async (files: Readonly<Record<string, string>> = {}): Promise<string> => {
    const path = await mkdtemp(join(tmpdir(), "conformance-"))
    trial.later(() => rm(path, { recursive: true, force: true }))
    await writeAll(path, files)
    return path
  }
  const project = async (wanted: CliProject = {}): Promise<string> => {
    const { kind = "plain", name = "game", files = {} } = wanted
    const template = trial.config.cli?.projects?.[kind]
    if (template === undefined) throw new Untestable(`the configuration names no project ${kind}`)
    const path = join(await folder(), name)
    await writeAll(path, { ...(await textsOf(template, wanted)), ...files })
    return path
  }
  const run = async (args: ReadonlyArray<string>, options: CliOptions = {}): Promise<CliRun> => {
    const { cli } = trial.config
    if (cli === undefined) throw new Unsupported("the configuration names no command-line tool")
    const cwd = options.folder ?? (await folder())
    const home = options.home ?? (await folder())
    const [program, ...before] = cli.argv
    const child = spawn(program, [...before, ...args], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1", ...cli.env, ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
      timeout: options.forMs ?? endsWithinMs * trial.patience,
      killSignal: "SIGKILL",
      signal: trial.signal
    })
    let [stdout, stderr] = ["", ""]
    const answered = new Promise<CliRun>((resolve, reject) => {
      child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()))
      child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
      child.on("error", reject)
      child.on("close", (code) => resolve({ code: code ?? -1, stdout, stderr }))
    })
    child.stdin.on("error", () => undefined)
    child.stdin.end(options.stdin ?? "")
    const seen = options.until?.(() => stdout).finally(() => child.kill("SIGTERM"))
    // It is waited for below, when the command has ended.
    seen?.catch(() => undefined)
    const ran = await answered
    trial.note(`$ ${args.join(" ")}`)
    trial.note(`  exit ${ran.code}: ${ran.stdout.slice(0, 300)} ${ran.stderr.slice(0, 300)}`)
    if (seen !== undefined) await Promise.race([seen, tooLate(args, ran)])
    if (seen !== undefined || ran.code === 0) trial.witness.ran(args)
    return ran
  }
  return {
    folder,
    project,
    run,
    runLoggedIn: (args, options = {}) =>
      run(args, { ...options, env: { ...trial.config.cli?.loggedInEnv, ...options.env } })
  }
}

/** Nobody waits on for what a command that has ended can do no more. */
const tooLate = async (args: ReadonlyArray<string>, { code, stderr }: CliRun): Promise<never> => {
  await new Promise((resolve) => {
    setTimeout(resolve, seenWithinMs).unref()
  })
  throw new Mismatch(args.join(" "), {
    expected: "that it goes on until what it is to do is seen",
    actual: `exit ${code}: ${stderr.slice(0, 300)}`
  })
}

const writeAll = async (path: string, files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), text)
  }
}

/** Stands for the id of a project in a template: docs/conformance-adapter.md. */
const idText = "p_aaaaaaaaaaaaaaaa"

const textsOf = async (
  template: string,
  { id = idText }: CliProject
): Promise<Readonly<Record<string, string>>> => {
  const entries = await readdir(template, { recursive: true, withFileTypes: true })
  const texts: Record<string, string> = {}
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name)
    texts[path.slice(template.length + 1)] = (await readFile(path, "utf8")).replaceAll(idText, id)
  }
  return texts
}
