import { eachMeter } from "@atrium/domain/meters/Caps"

/** The limits at which a plan sees players refused. */
export const LimitNames = [
  "connectionsPerAddress",
  "joinsPerAddress",
  "newRoomsPerAddress",
  "joinsPerServer",
  "serversFull",
  "matchPerAddress",
  "matchPerProject",
  "noMatch",
  "roomHoursWall",
  "dataOutWall",
  "voiceWall",
  "storageWall"
] as const
export type LimitName = (typeof LimitNames)[number]

/** The code with which a limit refuses, and what the limit is, in words. */
export const limitTexts: Readonly<
  Record<LimitName, { readonly code: string; readonly says: string }>
> = {
  connectionsPerAddress: {
    code: "E_RATE_LIMITED",
    says: "120 new connections of an address to a server in a minute"
  },
  joinsPerAddress: {
    code: "E_RATE_LIMITED",
    says: "600 joins of an address to a server in a minute"
  },
  newRoomsPerAddress: {
    code: "E_RATE_LIMITED",
    says: "60 new or waking rooms of an address on a server in a minute"
  },
  joinsPerServer: { code: "E_RATE_LIMITED", says: "6,000 joins to a server in a minute" },
  serversFull: {
    code: "E_TENANT_WAKING",
    says: "no server has a place for the room: 10 rooms awake on the free plan, else 1,000 servers"
  },
  matchPerAddress: { code: "E_RATE_LIMITED", says: "30 match requests of an address in a minute" },
  matchPerProject: {
    code: "E_RATE_LIMITED",
    says: "600 match requests of the project in a minute, 120 at once"
  },
  noMatch: { code: "no match", says: "30 seconds in a queue that did not fill" },
  roomHoursWall: { code: "E_CAP_REACHED", says: "the wall of room hours: new rooms, and wakes" },
  dataOutWall: {
    code: "E_CAP_REACHED",
    says: "the wall of data out: every room sleeps, and every join is refused"
  },
  voiceWall: { code: "E_CAP_REACHED", says: "the wall of voice minutes: new calls" },
  storageWall: { code: "E_CAP_REACHED", says: "the wall of stored bytes: deploys" }
}

/** The limit that a meter's wall is. */
export const wallOf = {
  ...eachMeter<LimitName>("roomHoursWall"),
  voiceMinutes: "voiceWall",
  storageBytes: "storageWall",
  dataOutBytes: "dataOutWall"
} as const satisfies Record<string, LimitName>

/** How often a limit refused: every attempt, and those who never got in because of it. */
export interface RefusalCount {
  attempts: number
  players: number
}

export type Refusals = Record<LimitName, RefusalCount>

export const noRefusals = (): Refusals => ({
  connectionsPerAddress: { attempts: 0, players: 0 },
  joinsPerAddress: { attempts: 0, players: 0 },
  newRoomsPerAddress: { attempts: 0, players: 0 },
  joinsPerServer: { attempts: 0, players: 0 },
  serversFull: { attempts: 0, players: 0 },
  matchPerAddress: { attempts: 0, players: 0 },
  matchPerProject: { attempts: 0, players: 0 },
  noMatch: { attempts: 0, players: 0 },
  roomHoursWall: { attempts: 0, players: 0 },
  dataOutWall: { attempts: 0, players: 0 },
  voiceWall: { attempts: 0, players: 0 },
  storageWall: { attempts: 0, players: 0 }
})
