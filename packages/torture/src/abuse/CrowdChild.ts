import { createInterface } from "node:readline"

import { type Crowd, type CrowdField, startCrowd } from "./Crowd.ts"

// The crowd, in a process of its own: the first line says where, the next ends it.

let started: Crowd | null = null
const lines = createInterface({ input: process.stdin })
lines.on("line", async (line) => {
  if (started !== null) {
    started.stop()
    process.stdout.write(`${JSON.stringify(started.counts)}\n`, () => process.exit(0))
    return
  }
  // Only the run writes here.
  started = await startCrowd(JSON.parse(line) as CrowdField)
  process.stdout.write("busy\n")
})
lines.on("close", () => process.exit(0))
