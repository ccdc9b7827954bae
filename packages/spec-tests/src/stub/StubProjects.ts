import { type StubAnswer, type StubCall, StubRefusal, bad, bodyOf } from "./StubAnswer.ts"
import { type StubProject, type StubState, newProject, randomText } from "./StubState.ts"

const recordOf = (project: StubProject) => ({
  motto: "",
  ...project.settings,
  name: project.name,
  id: project.id
})

export const createProject = (state: StubState, call: StubCall, owner: string): StubAnswer => {
  const { name } = bodyOf(call)
  if (typeof name !== "string" || name === "") throw bad("name: how shall it be called?")
  return { status: 200, body: recordOf(newProject(state, owner, name)) }
}

export const readProject = (project: StubProject): StubAnswer => ({
  status: 200,
  body: recordOf(project)
})

export const patchProject = (call: StubCall, project: StubProject): StubAnswer => {
  const { name, connectionsPerIpPerMin, vmMemMib, queues, boards, ...rest } = bodyOf(call)
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw bad(`${unknown} cannot be set`)
  if (name === undefined && !call.misbehaves("name-optional")) throw bad("name must be said")
  if (name !== undefined && name !== project.name) throw bad("name is another one")
  if (!isConnections(connectionsPerIpPerMin)) {
    throw bad("connectionsPerIpPerMin: a whole number, or null")
  }
  if (!isMemory(vmMemMib, call)) throw bad("vmMemMib: 128 to 4096 whole MiB, or null")
  if (!call.misbehaves("any-queues")) lookAtMaps(queues, boards)
  const set = { connectionsPerIpPerMin, vmMemMib, queues, boards }
  for (const [field, value] of Object.entries(set)) {
    if (value !== undefined) project.settings[field] = value
  }
  const before = call.misbehaves("answer-of-before") ? { vmMemMib: null, boards: null } : {}
  return { status: 200, body: { ...recordOf(project), ...before } }
}

const isConnections = (value: unknown): boolean =>
  value === undefined || value === null || (Number.isInteger(value) && Number(value) > 0)

const isMemory = (value: unknown, call: StubCall): boolean => {
  if (value === undefined || value === null) return true
  if (typeof value !== "number") return false
  const isWhole = Number.isInteger(value) || call.misbehaves("memory-in-parts")
  return isWhole && value >= 128 && value <= (call.misbehaves("memory-4097") ? 4097 : 4096)
}

const entriesOf = (what: string, value: unknown): ReadonlyArray<[string, unknown]> => {
  if (value === undefined) return []
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw bad(`${what}: an object of declarations, please`)
  }
  return Object.entries(value)
}

const lookAtMaps = (queues: unknown, boards: unknown): void => {
  const declared = entriesOf("queues", queues)
  if (declared.length > 32) throw bad("queues: 32 at most")
  for (const [name, queue] of declared) {
    if (!/^[a-z0-9._-]{1,32}$/.test(name) || !isQueue(queue)) {
      throw bad(`queue ${name} cannot be like that`)
    }
  }
  for (const [name, board] of entriesOf("boards", boards)) {
    if (!/^[a-z0-9._-]{1,64}$/.test(name) || !isBoard(board)) {
      throw bad(`board ${name} needs a direction, higher or lower`)
    }
  }
}

type Fields = Readonly<Record<string, unknown>>

const isQueue = (queue: unknown): boolean => {
  const { size, skill = true, teams }: Fields = Object(queue)
  if (typeof skill !== "boolean") return false
  if (teams === undefined) return size === undefined || isCount(size, 2)
  return size === undefined && Array.isArray(teams) && teams.every(isTeam)
}

const isTeam = (team: unknown): boolean => {
  if (typeof team !== "object" || team === null || Array.isArray(team)) return false
  const { fill = true, ...counts }: Fields = { ...team }
  const known = ["size", "minSize", "maxSize", "count"]
  const isKnown = Object.entries(counts).every(
    ([key, count]) => known.includes(key) && isCount(count, 1)
  )
  return typeof fill === "boolean" && isKnown
}

const isCount = (value: unknown, least: number): boolean =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= 64

const isBoard = (board: unknown): boolean => {
  const { direction, period = "daily", buckets = true, keep = 1 }: Fields = Object(board)
  const isPeriod = /^(daily|weekly|monthly|season:.+)$/.test(String(period))
  const isRanked = direction === "higher" || direction === "lower"
  return isRanked && isPeriod && typeof buckets === "boolean" && typeof keep === "number"
}

const meters = ["dataOutBytes", "storageBytes", "voiceMinutes", "roomHours"] as const

export const readCaps = (project: StubProject): StubAnswer => ({
  status: 200,
  body: {
    meters: Object.fromEntries(
      meters.map((meter) => [meter, { used: 0, ceiling: project.ceilings.get(meter) ?? null }])
    )
  }
})

export const patchCaps = (call: StubCall, project: StubProject): StubAnswer => {
  const changes = entriesOf("caps", bodyOf(call)["caps"])
  for (const [meter, ceiling] of changes) {
    const isKnown = meters.some((known) => known === meter)
    const isCount = ceiling === null || (Number.isInteger(ceiling) && Number(ceiling) >= 0)
    if (!isKnown || !isCount) throw bad(`caps: ${meter} cannot be that`)
  }
  for (const [meter, ceiling] of changes) {
    if (typeof ceiling === "number") project.ceilings.set(meter, ceiling)
    else if (!call.misbehaves("caps-stay")) project.ceilings.delete(meter)
  }
  return readCaps(project)
}

export const mintIdentity = (state: StubState, call: StubCall): StubAnswer => {
  const project = state.projects.get(String(bodyOf(call)["project"]))
  if (project === undefined) throw new StubRefusal(404, "E_NOT_FOUND", "nothing is there")
  return { status: 200, body: { token: randomText(60), playerId: `player/${randomText(9)}` } }
}
