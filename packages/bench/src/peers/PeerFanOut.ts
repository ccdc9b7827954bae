import { eachOf, upTo } from "@atrium/api/testing/load/Tasks"

import type { Bench } from "../Bench.ts"
import { FanOutLoad, type FanOutRound } from "../FanOutLoad.ts"
import { isLate, type Pace, type Rounds } from "../FanOutRounds.ts"
import type { Figure } from "../Figure.ts"
import type { Peer } from "./Peer.ts"
import { besidePeers, noPeerRounds, type PeerRounds } from "./PeerFigures.ts"

const joinsAtOnce = 4

type PaceRounds = Readonly<Record<Pace, ReadonlyArray<PeerRounds<FanOutRound>>>>

interface FullRooms {
  readonly rooms: number
  readonly clientsPerRoom: number
}

/** W1 on the peers: full rooms, and what the rounds gave. */
export class PeerFanOut {
  readonly #loads: ReadonlyArray<FanOutLoad>
  readonly #rounds: PaceRounds

  private constructor(peers: ReadonlyArray<Peer>, loads: ReadonlyArray<FanOutLoad>) {
    this.#loads = loads
    this.#rounds = {
      half: noPeerRounds(peers),
      full: noPeerRounds(peers),
      saturated: noPeerRounds(peers)
    }
  }

  /** Joins all clients. */
  static async fill(bench: Bench, size: FullRooms): Promise<PeerFanOut> {
    const peers = await bench.peers()
    const places = upTo(size.rooms * size.clientsPerRoom).map((index) => index % size.rooms)
    const loads: Array<FanOutLoad> = []
    for (const peer of peers) {
      const load = new FanOutLoad(peer.pid, peer.dialect, size.rooms)
      const seats = await eachOf(places, joinsAtOnce, (place) =>
        peer.join({
          kind: "relay",
          room: `relay-${place}`,
          from: bench.servers.addresses.next(),
          hear: load.hear(place)
        })
      )
      for (const [index, { socket }] of seats.entries()) load.add(places[index] ?? 0, socket)
      loads.push(load)
    }
    return new PeerFanOut(peers, loads)
  }

  /** One round of each peer. */
  async round(pace: Pace, play: (load: FanOutLoad) => Promise<FanOutRound>): Promise<void> {
    for (const [index, load] of this.#loads.entries()) {
      this.#rounds[pace][index]?.rounds.push(await play(load))
    }
  }

  /** The service's rounds beside those of the peers. */
  figures(of: Readonly<Record<Pace, Rounds>>): ReadonlyArray<Figure> {
    const kinds = [
      ["full", ""],
      ["half", "half load"],
      ["saturated", "saturated"]
    ] as const
    return kinds.flatMap(([pace, title]) =>
      (["rooms", "relay"] as const).flatMap((side) => {
        const where = [title, side === "relay" ? "relay rooms" : ""].filter((part) => part !== "")
        const row = (name: string, unit: string, pick: (round: FanOutRound) => number) =>
          besidePeers(
            { name: [...where, name].join(", "), unit, rounds: of[pace][side].map(pick) },
            this.#rounds[pace],
            { pick, ...(pace === "saturated" ? {} : { weakness: fellBehind }) }
          )
        return [
          ...row("deliveries per CPU second", "/s", (round) => round.deliveriesPerCpuSecond),
          ...row("p50", "ms", (round) => round.p50Ms)
        ]
      })
    )
  }

  get faults(): ReadonlyArray<string> {
    const lost = Object.values(this.#rounds).flatMap((each) =>
      each.flatMap(({ peer, rounds }) =>
        rounds
          .filter(({ heard, expected }) => heard !== expected)
          .map(({ heard, expected }) => `${peer.name}: ${heard} of ${expected} deliveries arrived`)
      )
    )
    const strangers = this.#loads.reduce((sum, load) => sum + load.strangers, 0)
    return strangers === 0 ? lost : [...lost, `${strangers} frames of peers were no deliveries`]
  }
}

const fellBehind = (rounds: ReadonlyArray<FanOutRound>): string | null =>
  isLate(rounds) ? "it fell behind the load" : null
