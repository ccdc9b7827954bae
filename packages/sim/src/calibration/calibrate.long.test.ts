import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { Schema } from "effect"
import { expect, it } from "vitest"

import { Calibration } from "./Calibration.ts"

const main = join(import.meta.dirname, "../main.ts")
const decode = Schema.decodeUnknownSync(Calibration, { onExcessProperty: "error" })

it("[sim.calibrate] measures this machine with a service of its own, and names no secret", async () => {
  const folder = await mkdtemp(join(tmpdir(), "atrium-sim-calibrate-"))
  try {
    const path = join(folder, "calibration.json")
    const child = spawn(process.execPath, [main, "calibrate", "--quick", "--out", path], {
      stdio: ["ignore", "pipe", "pipe"]
    })
    let said = ""
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()))
    const code = await new Promise((resolve) => child.on("close", resolve))
    expect({ code, said: code === 0 ? "" : said }).toEqual({ code: 0, said: "" })
    const text = await readFile(path, "utf8")
    expect(text + said).not.toMatch(/ct_|js_|eyJ/)
    const { cpu, memory, latency, sources } = decode(JSON.parse(text))
    // Whatever the machine: these are no differences that noise may hide.
    for (const figure of [
      cpu.joinAwakeMs,
      cpu.joinNewRoomMs,
      cpu.wakeMs,
      cpu.snapshotMs,
      cpu.messageInUs,
      cpu.messageInBusyUs,
      memory.roomWithCodeBytes,
      memory.runnerBytes,
      latency.joinAwakeP50Ms,
      latency.wakeP99Ms
    ]) {
      expect(figure).toBeGreaterThan(0)
    }
    expect(cpu.joinNewRoomMs).toBeGreaterThan(cpu.joinAwakeMs)
    const kept = Object.entries(sources).filter(([, source]) => !source.startsWith("measured: "))
    expect(kept.map(([path]) => path)).toEqual([
      "memory.statePerByte",
      "writes.perJoin",
      "writes.perWake",
      "writes.perSnapshot",
      "writes.perDurableCall",
      "writes.perRunnerSecond",
      "latency.failoverMs",
      "wire.perPatchBytes",
      "wire.perWelcomeBytes"
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
