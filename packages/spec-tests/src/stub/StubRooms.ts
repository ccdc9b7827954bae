import { type StubAnswer, type StubCall, StubRefusal, bad, bodyOf } from "./StubAnswer.ts"

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const longestDays = 3650

const isDuration = (text: string, call: StubCall): boolean => {
  const [, count = "", unit = ""] = /^([1-9][0-9]{0,6})([mhd])$/.exec(text) ?? []
  const lengthMs = Number(count) * (unit === "m" || unit === "h" ? unitMs[unit] : unitMs.d)
  const days = longestDays + (call.misbehaves("ten-years-and-a-day") ? 1 : 0)
  return count !== "" && lengthMs <= days * unitMs.d
}

/** Nothing is ever deployed to the stub, so no room was ever made. */
export const listRooms = (call: StubCall): StubAnswer => {
  for (const [name, value] of call.query) {
    if (name === "active") {
      if (!["true", "false"].includes(value)) throw bad("active is true or false")
    } else if (name === "idle-longer-than") {
      if (!isDuration(value, call) && !call.misbehaves("any-filter")) {
        throw bad("idle-longer-than wants minutes, hours or days: 5m, 2h, 7d")
      }
    } else if (!call.misbehaves("unknown-query")) {
      throw bad(`what is ${name}?`)
    }
  }
  return { status: 200, body: call.misbehaves("rooms-in-object") ? { rooms: [] } : [] }
}

/** Everything about one room. */
export const oneRoom = (call: StubCall): StubAnswer => {
  if (call.method === "PATCH") lookAtSettings(call)
  if (call.method === "POST") bodyOf(call)
  if (call.misbehaves("rooms-everywhere")) return { status: 200, body: { roomId: call.parts[4] } }
  const code = call.misbehaves("room-like-project") ? "E_NOT_FOUND" : "E_ROOM_NOT_FOUND"
  throw new StubRefusal(404, code, "there is no such room")
}

const lookAtSettings = (call: StubCall): void => {
  const { retention, public: listed, ...rest } = bodyOf(call)
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw bad(`${unknown} cannot be set`)
  const isKept = retention === undefined || retention === null || retention === "forever"
  if (!isKept && !(typeof retention === "string" && isDuration(retention, call))) {
    throw bad("retention: a duration, forever or null")
  }
  if (listed !== undefined && typeof listed !== "boolean") throw bad("public: true or false")
}
