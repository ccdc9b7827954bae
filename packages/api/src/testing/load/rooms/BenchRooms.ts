import { defineRoom, type Room } from "@atrium/sdk/room"

import {
  allTeams,
  bodies,
  busyCellar,
  cellar,
  cellarBytes,
  clerk,
  duel,
  filmedFloats,
  filmedRelay,
  filmedSquare,
  floats,
  hall,
  lounge,
  nap,
  ownTeam,
  quantised,
  relay,
  sharedHall,
  sharedLounge,
  sharedRelay,
  square,
  teams
} from "./BenchSchemas.ts"

export const relayRoom = defineRoom(relay, {
  onMessage: {
    say(room, client, payload) {
      room.broadcast("say", payload, { except: client })
    }
  }
})

export const filmedRelayRoom = defineRoom(filmedRelay, {
  onMessage: {
    say(room, client, payload) {
      room.broadcast("say", payload, { except: client })
    }
  }
})

export const sharedRelayRoom = defineRoom(sharedRelay, {
  sharing: true,
  onMessage: {
    say(room, client, payload) {
      room.broadcast("say", payload, { except: client })
    }
  }
})

export const squareRoom = defineRoom(square, {
  onMessage: {
    say(room, _client, payload) {
      room.broadcast("say", payload)
    }
  }
})

export const filmedSquareRoom = defineRoom(filmedSquare, {
  onMessage: {
    say(room, _client, payload) {
      room.broadcast("say", payload)
    }
  }
})

interface Body {
  x: number
  y: number
  vx: number
  vy: number
}

const moveAll = (all: Iterable<Body>): void => {
  for (const body of all) {
    body.x += 0.5
    body.y += 0.25
    body.vx += 0.125
    body.vy -= 0.125
  }
}

export const floatsRoom = defineRoom(floats, {
  onCreate(room) {
    for (let body = 0; body < bodies; body++) room.state.bodies.add()
  },
  onTick: (room) => moveAll(room.state.bodies)
})

export const filmedFloatsRoom = defineRoom(filmedFloats, {
  onCreate(room) {
    for (let body = 0; body < bodies; body++) room.state.bodies.add()
  },
  onTick: (room) => moveAll(room.state.bodies)
})

/** The last digits of a player's id are its place among the players. */
const teamOf = ({ playerId }: { readonly playerId: string }): number =>
  Number(/\d+$/.exec(playerId)?.[0] ?? 0) % teams

export const ownTeamRoom = defineRoom(ownTeam, {
  visible: { bodies: { visibleTo: (client, { team }) => team === teamOf(client) } },
  onCreate(room) {
    for (let body = 0; body < bodies; body++) room.state.bodies.add({ team: body % teams })
  },
  onTick: (room) => moveAll(room.state.bodies)
})

export const allTeamsRoom = defineRoom(allTeams, {
  visible: { bodies: { visibleTo: (_, { team }) => team < teams } },
  onCreate(room) {
    for (let body = 0; body < bodies; body++) room.state.bodies.add({ team: body % teams })
  },
  onTick: (room) => moveAll(room.state.bodies)
})

export const quantisedRoom = defineRoom(quantised, {
  onCreate(room) {
    for (let body = 0; body < bodies; body++) room.state.bodies.add()
  },
  onTick(room, { tick }) {
    for (const body of room.state.bodies) {
      const place = (tick + body.id) % 251
      body.x = place
      body.y = 250 - place
      body.vx = place
      body.vy = 250 - place
    }
  }
})

export const hallRoom = defineRoom(hall, {
  onCreate(room) {
    for (let body = 0; body < bodies; body++) {
      room.state.bodies.add({ x: body + 0.1, y: body + 0.2, vx: 0.3, vy: 0.4 })
    }
  }
})

export const sharedHallRoom = defineRoom(sharedHall, {
  sharing: true,
  onCreate(room) {
    for (let body = 0; body < bodies; body++) {
      room.state.bodies.add({ x: body + 0.1, y: body + 0.2, vx: 0.3, vy: 0.4 })
    }
  }
})

export const loungeRoom = defineRoom(lounge, {})

export const sharedLoungeRoom = defineRoom(sharedLounge, { sharing: true })

export const duelRoom = defineRoom(duel, {})

export const napRoom = defineRoom(nap, {
  onCreate(room) {
    room.state.counter.value = 1
  }
})

const fill = (random: { int(n: number): number }): Uint8Array =>
  Uint8Array.from({ length: cellarBytes }, () => random.int(256))

export const cellarRoom = defineRoom(cellar, {
  onCreate(room) {
    room.state.stock.data = fill(room.random)
  },
  rpc: {
    async store(room) {
      await room.save()
    }
  }
})

export const busyCellarRoom = defineRoom(busyCellar, {
  onCreate(room) {
    room.state.stock.data = fill(room.random)
  },
  rpc: {
    async store(room) {
      await room.save()
    }
  }
})

/** The four players of a call: of 400, and others in the next call. */
const playersOf = (call: number): ReadonlyArray<string> =>
  [0, 1, 2, 3].map((place) => `p${(call * 7 + place * 101) % 400}`)

/** What the clerk does by its name, a call each. */
const works: Readonly<
  Record<string, (room: Room<typeof clerk>, call: number) => Promise<unknown>>
> = {
  report: (room, call) =>
    room.ratings.report(
      playersOf(call).map((player, index) => ({ player, place: index + 1 })),
      { id: `call ${call}` }
    ),
  ratings: (room, call) => room.ratings.get(playersOf(call)),
  kvSet: (room, call) =>
    room.kv(`p${call % 400}`).set("progress", { level: call, coins: 7 * call }),
  submit: (room, call) => room.leaderboard.submit("race", `p${call % 400}`, call),
  kvGet: (room, call) => room.kv(`p${call % 400}`).get("progress")
}

export const clerkRoom = defineRoom(clerk, {
  rpc: {
    async work(room, _client, { work, calls, from }) {
      for (let done = 0; done < calls; done++) {
        await works[work]?.(room, from + done)
      }
      return { done: works[work] === undefined ? 0 : calls }
    }
  }
})
