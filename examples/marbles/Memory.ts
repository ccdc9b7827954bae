import type { Room } from "@atrium/sdk/room"

import type { marbles } from "./schema.ts"

export type MarblesRoom = Room<typeof marbles>
export type Marble = NonNullable<ReturnType<MarblesRoom["state"]["marbles"]["get"]>>

interface Waiting {
  /** Of the marble. */
  readonly id: number
  readonly tick: number
  readonly x: number
  readonly z: number
}

/** What the room may forget when it sleeps: nobody is there then. */
interface Memory {
  /** Inputs for a tick that has not come. */
  steers: Array<Waiting & { readonly seq: number }>
  shots: Array<Waiting>
  /** Which marble has touched or hit this one last, and when. */
  readonly touches: Map<number, { readonly by: number; readonly tick: number }>
}

const memories = new WeakMap<MarblesRoom, Memory>()

export const memoryOf = (room: MarblesRoom): Memory => {
  const known = memories.get(room)
  if (known !== undefined) return known
  const memory: Memory = { steers: [], shots: [], touches: new Map() }
  memories.set(room, memory)
  return memory
}

interface Placed {
  readonly id: number
  readonly x: number
  readonly y: number
  readonly z: number
}

/** Of the marbles on the disc, without the one itself. */
export const nearestTo = <M extends Placed>(from: M, all: Iterable<M>): M | undefined => {
  const others = [...all].filter(({ id, y }) => id !== from.id && y > 0)
  const distanceOf = ({ x, z }: M): number => Math.hypot(x - from.x, z - from.z)
  return others.toSorted((a, b) => distanceOf(a) - distanceOf(b))[0]
}
