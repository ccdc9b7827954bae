import { makeRoomProcesses } from "./RoomProcesses.ts"
import { bundleOf, startOf, TestListener } from "./TestProcesses.ts"
const code = await bundleOf(`
import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"
export const Arena = defineRoom(defineSchema({ type: "arena", messages: {} }), { sharing: true })
`)
const p = await makeRoomProcesses({ nodePath: process.execPath, warmSpares: 0, onNotice: console.log })
const heard = new TestListener()
const r = p.take(heard.listener, { memoryMiB: 64, bundle: code, ...(process.argv[2] === "shared" ? { shares: { room: "a", kind: "b" } } : {}) })
r.start(startOf(code))
setTimeout(async () => { console.log(r.pid, heard.calls); process.exit() }, 8000)
