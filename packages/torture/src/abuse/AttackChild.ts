import { createInterface } from "node:readline"

import {
  type Attack,
  type Battlefield,
  connectionFlood,
  frameFlood,
  giantFrames,
  halfOpen,
  manyAddresses,
  slowReaders
} from "./Attacks.ts"

// All attackers, in a process of their own: the first line says where, the next ends them.

const attacks: Array<Attack> = []
const lines = createInterface({ input: process.stdin })
lines.on("line", (line) => {
  if (attacks.length === 0) {
    // Only the run writes here.
    const field = JSON.parse(line) as Battlefield
    for (const make of [
      connectionFlood,
      manyAddresses,
      frameFlood,
      giantFrames,
      slowReaders,
      halfOpen
    ]) {
      attacks.push(make(field))
    }
    process.stdout.write("attacking\n")
    return
  }
  for (const attack of attacks) attack.stop()
  const told = attacks.map(({ name, counts }) => ({ name, counts }))
  process.stdout.write(`${JSON.stringify(told)}\n`)
})
lines.on("close", () => process.exit(0))
