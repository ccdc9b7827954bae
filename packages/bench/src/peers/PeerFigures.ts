import type { Figure } from "../Figure.ts"
import type { Peer } from "./Peer.ts"

/** What each round of a peer gave. */
export interface PeerRounds<Round> {
  readonly peer: Peer
  readonly rounds: Array<Round>
}

export const noPeerRounds = <Round>(peers: ReadonlyArray<Peer>): ReadonlyArray<PeerRounds<Round>> =>
  peers.map((peer) => ({ peer, rounds: [] }))

/** A figure of the service beside that of each peer. No goal is judged by a peer. */
export const besidePeers = <Round>(
  figure: Pick<Figure, "name" | "unit" | "rounds">,
  peers: ReadonlyArray<PeerRounds<Round>>,
  of: { pick(round: Round): number; weakness?(rounds: ReadonlyArray<Round>): string | null }
): ReadonlyArray<Figure> =>
  peers.map(({ peer, rounds }) => ({
    name: figure.name,
    unit: figure.unit,
    rounds: figure.rounds,
    reference: {
      name: peer.name,
      rounds: rounds.map((round) => of.pick(round)),
      weakness: of.weakness?.(rounds) ?? null
    },
    goal: null
  }))
