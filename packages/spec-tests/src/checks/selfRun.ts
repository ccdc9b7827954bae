import { spawn } from "node:child_process"

import type { Check } from "../check/Check.ts"
import { holds, same } from "../check/Expect.ts"
import { Untestable } from "../check/Expect.ts"
import type { Trial } from "../trial/Trial.ts"

const variable = "SERVICE_CONNECTIONS_PER_IP_PER_MIN"
const startsWithinMs = 90_000

interface Boot {
  /** Null = it was ready, and was then ended. */
  readonly code: number | null
  readonly output: string
}

/** Starts a server of one's own, until it is ready or has ended. */
const boot = (trial: Trial, value: string): Promise<Boot> => {
  const { selfRun } = trial.config
  if (selfRun === undefined) throw new Untestable("the configuration does not say how to start one")
  const [program, ...args] = selfRun.argv
  const ready = new RegExp(selfRun.ready, "m")
  const child = spawn(program, args, {
    env: { PATH: process.env["PATH"], ...selfRun.env, [variable]: value },
    timeout: startsWithinMs,
    signal: trial.signal
  })
  return new Promise((resolve, reject) => {
    let [output, isReady] = ["", false]
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      if (isReady || !ready.test(output)) return
      isReady = true
      child.kill("SIGTERM")
    }
    child.stdout.on("data", read)
    child.stderr.on("data", read)
    child.on("error", reject)
    child.on("close", (code) => resolve({ code: isReady ? null : (code ?? -1), output }))
  })
}

/** A server that somebody runs alone. */
export const selfRunChecks: ReadonlyArray<Check> = [
  {
    ids: ["selfrun.connections-zero-refused"],
    title: "a server that is told to take 0 connections refuses to start, with 1 it starts",
    timeoutMs: 2 * startsWithinMs,
    run: async (trial) => {
      const refused = await boot(trial, "0")
      holds("it does not start with 0", refused.code !== null && refused.code > 0, refused)
      holds("it names the variable", refused.output.includes(variable), refused.output)
      const started = await boot(trial, "1")
      same(`it starts with 1: ${started.output.slice(-300)}`, started.code, null)
    }
  }
]
