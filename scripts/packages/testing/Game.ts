/** What the programs of the game print. */
export const game = { played: "played 5 of type counter\n", tested: "tested 3\n" }

/** A small game as its developer writes it, for a project of the service. */
export const gameFiles = (project: string): Readonly<Record<string, string>> => ({
  "package.json": '{"name":"game","private":true,"type":"module"}',
  "service.json": JSON.stringify({ project }),
  "schema.ts": `
import { defineSchema, s } from "@atrium/sdk/schema"
export const counter = defineSchema({
  type: "counter",
  singletons: { count: { value: s.u32() } },
  rpc: { client: { add: { args: { by: s.u8() }, returns: { value: s.u32() } } } }
})
`,
  "room.ts": `
import { defineRoom } from "@atrium/sdk/room"
import { counter } from "./schema.ts"
export const counterRoom = defineRoom(counter, {
  rpc: {
    add(room, _client, { by }) {
      room.state.count.value += by
      return { value: room.state.count.value }
    }
  }
})
`,
  "game.ts": `
import { Client } from "@atrium/sdk/client"
import { counter } from "./schema.ts"
declare const process: { readonly argv: readonly [string, string, string] }
declare const console: { log(line: string): void }
const client = () => new Client(process.argv[2], { project: "${project}" })
const first = await client().joinOrCreate(counter)
const second = await client().joinOrCreate(counter)
await first.request("add", { by: 2 })
const { value } = await second.request("add", { by: 3 })
const text: string = "played " + value + " of type " + counter.type
console.log(text)
await first.leave()
await second.leave()
`,
  "harness.ts": `
import { RoomHarness } from "@atrium/sdk/testing"
import { counterRoom } from "./room.ts"
declare const process: { exit(code: number): never }
declare const console: { log(line: string): void }
import { counter } from "./schema.ts"
const harness = new RoomHarness(counterRoom)
const player = await harness.client({ playerId: "ann" }).joinOrCreate(counter)
const { value } = await player.request("add", { by: 3 })
console.log("tested " + value)
process.exit(0)
`
})
