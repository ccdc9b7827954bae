import { defineRoom, type Room, type RoomClient } from "@atrium/sdk/room"

import { hog, type HogName } from "./hogSchema.ts"

const MiB = 1024 * 1024

/** Values that must not be collected. */
const kept: unknown[] = []

/** Does something again and again, and lets the room breathe between. */
const forEver = (run: () => void): void => {
  run()
  setImmediate(() => forEver(run))
}

const repeat = (times: number, run: (index: number) => void): void => {
  for (let index = 0; index < times; index++) run(index)
}

/** Every name that Node has for what opens a file, a socket or a pipe. */
const openers = [
  "fetch",
  "WebSocket",
  "EventSource",
  "Worker",
  "BroadcastChannel",
  "MessageChannel",
  "require",
  "Socket",
  "fs",
  "net",
  "dgram",
  "child_process",
  "worker_threads"
]

type Hog = (room: Room<typeof hog>, client: RoomClient<typeof hog>) => unknown

const hogs: { readonly [Name in HogName]: Hog } = {
  // oxlint-disable-next-line unicorn/no-new-array -- this very call is the hog
  arrayFill: () => kept.push(new Array(30e6).fill(1.5)),
  mapGrowth: () => {
    const map = new Map<number, number>()
    for (let key = 0; ; key++) map.set(key, key)
  },
  jsonParse: () => kept.push(JSON.parse(`[${"[],".repeat(8e6)}0]`)),
  split: () => kept.push("x,".repeat(30e6).split(",")),
  typedArray: () => kept.push(new Uint8Array(1024 * MiB).fill(1)),
  typedArrays: () => forEver(() => kept.push(new Uint8Array(MiB).fill(1))),
  untouchedArrays: () => repeat(20, () => kept.push(new Uint8Array(5 * MiB))),
  wasmOne: () => kept.push(new WebAssembly.Memory({ initial: 2048 })),
  wasmMany: () =>
    forEver(() => {
      const memory = new WebAssembly.Memory({ initial: 64 })
      new Uint8Array(memory.buffer).fill(1)
      kept.push(memory)
    }),
  // Between the ceiling and what the kernel takes for too much.
  wasmBand: () =>
    repeat(6, () => {
      const memory = new WebAssembly.Memory({ initial: 256 })
      new Uint8Array(memory.buffer).fill(1)
      kept.push(memory)
    }),
  intl: () =>
    forEver(() =>
      repeat(200, () =>
        kept.push(
          new Intl.DateTimeFormat("ja-JP-u-ca-japanese", { dateStyle: "full" }),
          new Intl.Collator("de")
        )
      )
    ),
  promises: () => {
    for (;;) kept.push(Promise.resolve(kept.length).then((value) => [value]))
  },
  timers: () => forEver(() => repeat(10_000, () => setTimeout(() => undefined, 1e6))),
  fds: (room, client) => {
    const opened = openers.filter((name) => {
      const found: unknown = Reflect.get(globalThis, name)
      if (typeof found !== "function") return found !== undefined
      try {
        repeat(1000, () => kept.push(Reflect.construct(found, ["ws://127.0.0.1:1"])))
        return true
      } catch {
        return false
      }
    })
    room.send(client, "done", { what: `opened: ${opened.join(" ")}` })
  },
  loop: () => {
    for (;;);
  },
  sort: () => {
    const numbers = Array.from({ length: 3e5 }, (_, index) => (index * 7919) % 3e5)
    for (let by = 2; ; by++) numbers.sort((one, other) => (one % by) - (other % by) || one - other)
  },
  regex: () => /^(?:a+)+$/.test(`${"a".repeat(60)}!`),
  // oxlint-disable-next-line no-eval -- this very call is the hog
  bigEval: () => kept.push((0, eval)(`[${"function(){return 1},".repeat(1e6)}0]`)),
  stringGrowth: () => {
    for (let text = "x"; ; text += text.slice(0, 1e6)) kept.push(text.split("").length)
  },
  frames: (room, client) =>
    forEver(() => repeat(5000, () => room.send(client, "done", { what: "more" }))),
  bytes: (room, client) => {
    const blob = new Uint8Array(MiB)
    forEver(() => repeat(8, () => room.send(client, "blob", blob)))
  },
  logs: (room) => forEver(() => repeat(5000, () => room.log.info("x".repeat(100)))),
  // Lines that slow a pattern down which looks for the frames of a stack, as long as a frame may be.
  slowLines: () => {
    const say = Reflect.get(globalThis, "sayToService")
    setInterval(() => say(`Error\n    at ${"sdk@".repeat(6 * 1024)}`.slice(0, 24 * 1024)), 50)
  },
  // Stacks of ever new places.
  stacks: (room) => {
    let line = 0
    setInterval(() => room.log.error(`Error: no\n    at run (room.bundle.js:${++line}:1)`), 20)
  },
  saves: async (room) => {
    for (;;) await room.save()
  },
  alarms: (room) => {
    let index = 0
    forEver(() => room.after("again", 1e6 + ++index))
  },
  lobby: (room) => {
    let on = false
    forEver(() => room.lobby.setPublic((on = !on)))
  },
  players: (_room, client) => forEver(() => void (client.player.total += 1)),
  hold: () => kept.push(new Uint8Array(40 * MiB).fill(1)),
  crash: () =>
    setTimeout(() => {
      throw new Error("crashed on purpose")
    }, 0),
  // The test puts the way to the service into the bundle.
  lie: () => Reflect.get(globalThis, "lieToService")(),
  unfinished: () => Reflect.get(globalThis, "beginFrame")()
}

/** The room of hogs, in a process of its own or in one that rooms share. */
export const hogRoomIn = ({ sharing }: { readonly sharing: boolean }) =>
  defineRoom(hog, {
    sharing,
    onCreate(room) {
      room.state.counter.creations += 1
    },

    onMessage: {
      run(room, client, { what }) {
        void hogs[what](room, client)
      }
    },

    rpc: {
      count(room, _client, { by }) {
        room.state.counter.value += by
        return { value: room.state.counter.value }
      }
    }
  })
