import { type StubCall, StubRefusal } from "./StubAnswer.ts"
import { type StubKey, type StubProject, type StubState, digestOf, nowText } from "./StubState.ts"

const refused = (): StubRefusal =>
  new StubRefusal(401, "E_UNAUTHENTICATED", "who is asking? no valid credential came along")

const nothingHere = (project: string, call: StubCall): StubRefusal =>
  new StubRefusal(
    404,
    "E_NOT_FOUND",
    call.misbehaves("project-echoed") ? `${project} is nowhere` : "nothing is there"
  )

/** What stands in the header: the scheme in any case, then the credential. */
const bearerOf = (call: StubCall): string | null => {
  const header = call.headers["authorization"] ?? ""
  const found = /^bearer +(\S+)$/i.exec(header)?.[1]
  return found ?? (call.misbehaves("bare-key") ? header : null)
}

/** The account whose login credential came along; anything else is the same 401. */
export const loginOf = (state: StubState, call: StubCall): string => {
  const bearer = bearerOf(call)
  if (bearer !== null && state.accounts.has(bearer)) return bearer
  const key = state.keys.get(digestOf(bearer ?? ""))
  const project = state.projects.get(key?.project ?? "")
  if (project !== undefined && call.misbehaves("key-as-login")) return project.owner
  throw refused()
}

/** A project of the account; those of others are not there. */
export const ownProject = (state: StubState, call: StubCall): StubProject => {
  const account = loginOf(state, call)
  const id = call.parts[2] ?? ""
  const project = state.projects.get(id)
  if (project?.owner !== account) throw nothingHere(id, call)
  return project
}

/** The project of a room route, for a key with the scope or its owner's login. */
export const projectFor = (
  state: StubState,
  call: StubCall,
  scope: "rooms:read" | "rooms:write"
): StubProject => {
  const bearer = bearerOf(call)
  const id = call.parts[2] ?? ""
  if (bearer === null) throw refused()
  if (state.accounts.has(bearer)) return ownProject(state, call)
  const key = state.keys.get(digestOf(bearer))
  if (key === undefined) throw refused()
  if (key.revokedAt !== null && !call.misbehaves("revoked-works")) {
    if (!call.misbehaves("revoked-own-words")) throw refused()
    throw new StubRefusal(401, "E_UNAUTHENTICATED", "this key was revoked")
  }
  if (key.project !== id && call.misbehaves("foreign-403")) {
    throw new StubRefusal(403, "E_FORBIDDEN", "that project is not yours")
  }
  const project = key.project === id ? state.projects.get(id) : undefined
  if (project === undefined) throw nothingHere(id, call)
  if (!reaches(key, scope, call)) {
    const told = call.misbehaves("scope-unnamed") ? "this key may not do that" : `ask for ${scope}`
    throw new StubRefusal(403, "E_SCOPE", told)
  }
  if (!call.misbehaves("never-used")) key.usedAt = nowText()
  return project
}

const reaches = (key: StubKey, scope: string, call: StubCall): boolean => {
  if (key.scopes.includes(scope)) return true
  if (scope === "rooms:read") return !call.misbehaves("write-reads-not")
  return call.misbehaves("read-writes") && scope === "rooms:write"
}
