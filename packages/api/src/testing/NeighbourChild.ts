import { Client } from "@atrium/sdk/client"

import { metronome } from "./rooms/hogSchema.ts"

// A client of a room that keeps time, in a process of its own: what a hog's client has to do must
// not look as if the service were late. Arguments: url, project. A message is a count of ticks: when
// so many have come since the last one it is answered with the lateness of all of them.

const [url = "", project = ""] = process.argv.slice(2)
const tickMs = 1000 / metronome.tickHz
const room = await new Client(url, { project }).joinOrCreate(metronome, { roomId: "neighbour" })

let beforeAtMs: number | null = null
let arrivedLateMs: number[] = []
let ticked: () => void = () => {}
room.onStateChange(() => {
  const nowMs = performance.now()
  if (beforeAtMs !== null) arrivedLateMs.push(Math.max(0, nowMs - beforeAtMs - tickMs))
  beforeAtMs = nowMs
  ticked()
})

process.on("message", async (ticks: number) => {
  while (arrivedLateMs.length < ticks) await new Promise<void>((resolve) => (ticked = resolve))
  const { late } = await room.request("lateness", {})
  process.send?.({ lateMs: late.map((hundredths) => hundredths / 100), arrivedLateMs })
  arrivedLateMs = []
})
process.on("disconnect", () => process.exit(0))
process.send?.("joined")
