import type { FieldShape } from "./Row.ts"
import { hourMs, minuteMs } from "./Units.ts"

// Literals that rows of several sections share.

export const badRequest = { status: 400, code: "E_BAD_REQUEST" } as const

const timestamp = "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$"
/** The forms of a retention window. */
const window = "^(forever|\\d+[mhd])$"
export const textField: FieldShape = { type: ["string"] }
export const wholeField: FieldShape = { type: ["integer"] }
export const windowOrNull: FieldShape = { type: ["string", "null"], pattern: window }
export const momentField: FieldShape = { type: ["string"], pattern: timestamp }
export const momentOrNull: FieldShape = { type: ["string", "null"], pattern: timestamp }

/** `rate` in each `perMs`, of which `burst` may come at once. */
export interface Pace {
  readonly rate: number
  readonly perMs: number
  readonly burst: number
}

export const perMinute = (rate: number, burst: number): Pace => ({ rate, perMs: minuteMs, burst })
export const perHour = (rate: number, burst: number): Pace => ({ rate, perMs: hourMs, burst })

export const tooManyRequests = { status: 429, code: "E_RATE_LIMITED" } as const

export const unauthenticated = { status: 401, code: "E_UNAUTHENTICATED" } as const

export const notFound = { status: 404, code: "E_NOT_FOUND" } as const

export const limited = { code: "E_RATE_LIMITED", close: 4429 } as const

export const full = { code: "E_ROOM_FULL", close: 4409 } as const

export const thrown = {} as const

/** D-18. */
export const keyFields = {
  keyId: { type: ["string"] },
  label: { type: ["string"] },
  scopes: { type: ["array"] },
  createdAt: momentField,
  lastUsed: momentOrNull,
  revokedAt: momentOrNull
} as const

export const rooms = "/v1/projects/:id/rooms"

export const waking = { code: "E_TENANT_WAKING", close: 4503 } as const
