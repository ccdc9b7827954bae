interface Span {
  readonly least: number
  readonly most: number
}

/** How many runners, rooms and clients a run has. */
export interface ClusterShape {
  readonly runners: number
  /** Rooms with code, in projects of their own. */
  readonly coded: { readonly projects: number; readonly rooms: number; readonly clients: number }
  /** Rooms without code, with one client each. */
  readonly relay: { readonly projects: number; readonly rooms: number }
  /** Between two calls of a client, in milliseconds. */
  readonly pauseMs: { readonly coded: Span; readonly relay: Span }
  /** Between the end of an act and the next one. */
  readonly calmMs: number
}

/** Three runners, and clients that ask as fast as players do. */
export const threeRunners: ClusterShape = {
  runners: 3,
  coded: { projects: 6, rooms: 2, clients: 2 },
  relay: { projects: 3, rooms: 2 },
  pauseMs: { coded: { least: 20, most: 120 }, relay: { least: 20, most: 120 } },
  calmMs: 10_000
}

/** A server takes twenty rooms. */
const roomsPerProject = 18
const codedRoomsPerProject = 5

/** Many rooms, one in ten of which has code, and clients that ask about once a second. */
export const manyRooms = (runners: number, rooms: number): ClusterShape => {
  const coded = Math.ceil(rooms / 10 / codedRoomsPerProject)
  const relay = Math.max(0, Math.ceil((rooms - coded * codedRoomsPerProject) / roomsPerProject))
  return {
    runners,
    coded: { projects: coded, rooms: codedRoomsPerProject, clients: 2 },
    relay: { projects: relay, rooms: roomsPerProject },
    pauseMs: { coded: { least: 200, most: 800 }, relay: { least: 500, most: 1_500 } },
    calmMs: 10_000
  }
}

export const roomsOf = ({ coded, relay }: ClusterShape): number =>
  coded.projects * coded.rooms + relay.projects * relay.rooms
