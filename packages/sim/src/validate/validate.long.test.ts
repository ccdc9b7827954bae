import { spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { Schema } from "effect"
import { expect, it } from "vitest"

import { defaultCalibration } from "../calibration/DefaultCalibration.ts"

const repository = join(import.meta.dirname, "../../../..")

const Printed = Schema.Struct({
  compared: Schema.Array(
    Schema.Struct({
      resource: Schema.String,
      planned: Schema.Finite,
      measured: Schema.Finite,
      kept: Schema.Boolean
    })
  ),
  loads: Schema.Array(Schema.Struct({ players: Schema.Finite, refused: Schema.Finite }))
})
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Printed))

it("[sim.validate] plays a scenario on a service of its own and compares it with its plan", async () => {
  const folder = await mkdtemp(join(tmpdir(), "atrium-sim-validate-"))
  try {
    const calibration = join(folder, "calibration.json")
    await writeFile(calibration, JSON.stringify(defaultCalibration))
    const args = ["validate", "examples/sim/validate/manySmallRooms.yaml", "--runs", "1", "--json"]
    const child = spawn(
      process.execPath,
      [join(repository, "packages/sim/src/main.ts"), ...args, "--calibration", calibration],
      { cwd: repository, stdio: ["ignore", "pipe", "pipe"] }
    )
    let printed = ""
    let said = ""
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()))
    const code = await new Promise((resolve) => child.on("close", resolve))
    expect(printed, said).not.toBe("")
    const { compared, loads } = decode(printed)
    expect(loads).toEqual([{ players: 160, refused: 0 }])
    expect(compared.map(({ resource }) => resource)).toEqual([
      "cpuCores",
      "memoryBytes",
      "egressBytesPerSecond"
    ])
    for (const { measured } of compared) expect(measured).toBeGreaterThan(0)
    // The bytes that players get are the same on every machine; CPU and memory are not.
    expect(compared[2]).toMatchObject({ kept: true })
    const far = compared.filter(({ kept }) => !kept).map(({ resource }) => resource)
    expect(code, said).toBe(far.length === 0 ? 0 : 1)
    if (far.length > 0) expect(said).toContain(`off by more than a fifth: ${far.join(", ")}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
