import type { AwakeRoom } from "@atrium/actors/room/AwakeRoom"

/** Bytes from clients and to them. */
export interface Bytes {
  readonly ingressBytes: number
  readonly egressBytes: number
}

type CountedRoom = Pick<AwakeRoom, "key"> & { readonly gate: Bytes }

const none: Bytes = { ingressBytes: 0, egressBytes: 0 }

const sum = (one: Bytes, other: Bytes): Bytes => ({
  ingressBytes: one.ingressBytes + other.ingressBytes,
  egressBytes: one.egressBytes + other.egressBytes
})

/** The traffic of projects, also of rooms that sleep by now: a gate keeps its count when it is gone. */
export class Traffic {
  readonly #gates = new Map<Bytes, string>()
  readonly #gone = new Map<string, Bytes>()

  /** Looks which rooms are awake; one that never was while somebody looked is not counted. */
  look(awake: ReadonlyArray<CountedRoom>): void {
    const here = new Set(awake.map(({ gate }) => gate))
    for (const { key, gate } of awake) this.#gates.set(gate, key.projectId)
    for (const [gate, project] of this.#gates) {
      if (here.has(gate)) continue
      this.#gone.set(project, sum(this.#gone.get(project) ?? none, gate))
      this.#gates.delete(gate)
    }
  }

  of(project: string): Bytes {
    const here = [...this.#gates].filter(([, owner]) => owner === project)
    return here.reduce((total, [gate]) => sum(total, gate), this.#gone.get(project) ?? none)
  }
}
