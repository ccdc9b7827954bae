import { makeGivenPostgres, startOnPostgres } from "@atrium/api/testing/GivenPostgres"
import { makeHome, type RunningService } from "@atrium/api/testing/RunningService"
import { endBundler } from "@atrium/sdk/bundle"

import { inspectable, ServiceInspector } from "../soak/ServiceInspector.ts"
import type { Stage } from "./CaseContext.ts"
import { footingLine, leaksOf, settled } from "./Footing.ts"
import type { FuzzPlan } from "./FuzzPlan.ts"
import { liveOne } from "./HostFuzz.ts"
import { HostileWays } from "./HostileBundle.ts"
import { sufferOne } from "./HostileRoomFuzz.ts"
import { askOnce, type Fuzzed, fuzzHttp } from "./HttpFuzz.ts"
import { inOrder } from "./InOrder.ts"
import { missedIn } from "./Reach.ts"
import { readOne } from "./ReaderFuzz.ts"
import { faultsIn } from "./ServiceLog.ts"
import { makeStage } from "./ServiceUnderFire.ts"
import { connectOne, socketCases } from "./SocketFuzz.ts"
import type { Part, Tally } from "./Tally.ts"
import { Witness } from "./Witness.ts"
import { disturbOne } from "./WorldFuzz.ts"

/** Frames between two moments in which other events get their turn. */
const ReadersAtOnce = 200
const HostsAtOnce = 8
const SocketsAtOnce = 12
const RoomsAtOnce = 3
/** Cases before the first look at what the service holds: code is compiled, caches are full. */
const WarmUpCases = 150
/** Lines of the log that are shown when something is wrong with it. */
const LogLinesMax = 10

interface Run {
  readonly plan: FuzzPlan
  readonly tally: Tally
  say(line: string): void
}

/** One case again, as a failed run has named it. */
export const replay = async (
  { plan, tally, say }: Run,
  part: Part,
  index: number
): Promise<void> => {
  const { seed } = plan
  if (part === "readers") return readOne(seed, index, tally)
  if (part === "hosts") return liveOne(seed, index, tally)
  if (part === "worlds") return disturbOne({ seed, index }, tally)
  if (part === "http") return withDatabase((fuzzed) => askOnce(fuzzed, { seed, index }, tally))
  await withService(say, async (_service, stage) => {
    if (part === "sockets") await connectOne(stage, { seed, index }, tally)
    else await sufferOne(stage, { seed, index }, tally)
  })
}

/** All of it. @returns what is wrong beyond the faults of single cases */
export const fuzz = async (run: Run): Promise<ReadonlyArray<string>> => {
  const { plan, tally, say } = run
  const problems: string[] = []
  await withService(say, async (service, stage) => {
    // A service that never comes to rest, or is gone, is a finding like the others.
    const found = await fuzzService(run, service, stage).catch((error: unknown) => [
      String(error),
      ...logFaults(service, stage)
    ])
    problems.push(...found)
  })
  problems.push(...(await askAll(run)))
  await inOrder((index) => liveOne(plan.seed, index, tally), {
    atOnce: HostsAtOnce,
    more: () => tally.framesOf("hosts") < plan.hostFrames
  })
  say(`hosts: ${tally.framesOf("hosts")} frames`)
  await inOrder((index) => disturbOne({ seed: plan.seed, index }, tally), {
    atOnce: 1,
    more: () => tally.framesOf("worlds") < plan.worldFrames && performance.now() < plan.endsAtMs
  })
  say(`worlds: ${tally.framesOf("worlds")} writes`)
  await readAll(run)
  say(`readers: ${tally.framesOf("readers")} frames`)
  return [...problems, ...missedIn(tally).map((what) => `never reached: ${what}`)]
}

/** The requests alone. @returns what is wrong beyond the faults of single cases */
export const askAll = async ({ plan, tally, say }: Run): Promise<ReadonlyArray<string>> => {
  const { seed, requests, askedUntilMs: endsAtMs } = plan
  const found: string[] = []
  await withDatabase(async (fuzzed) => {
    const { problems } = await fuzzHttp(fuzzed, { seed, requests, endsAtMs, tally, say })
    const exit = await fuzzed.service.stop()
    found.push(...problems, ...(exit === 0 ? [] : [`the service ended with ${exit}`]))
  })
  say(`http: ${tally.framesOf("http")} requests`)
  return found
}

/** A service on a PostgreSQL that others may read, too. */
const withDatabase = async (use: (fuzzed: Fuzzed) => Promise<void>): Promise<void> => {
  const { database, service, remove } = await startOnPostgres(await makeGivenPostgres())
  try {
    await use({ service, databaseUrl: database.url })
  } finally {
    await remove()
    await endBundler()
  }
}

const readAll = async ({ plan, tally }: Run): Promise<void> => {
  for (let index = 0; tally.frames < plan.frames && performance.now() < plan.endsAtMs;) {
    for (let count = 0; count < ReadersAtOnce && tally.frames < plan.frames; count++) {
      readOne(plan.seed, index++, tally)
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const withService = async (
  say: Run["say"],
  use: (service: RunningService, stage: Stage) => Promise<void>
): Promise<void> => {
  const home = await makeHome("embedded")
  try {
    const service = await home.start({ env: inspectable })
    const stage = await makeStage(service)
    say(`service: ${service.url}, pid ${service.pid}`)
    await use(service, stage)
  } finally {
    await home.remove()
    await endBundler()
  }
}

const fuzzService = async (
  { plan, tally, say }: Run,
  service: RunningService,
  stage: Stage
): Promise<ReadonlyArray<string>> => {
  const { seed } = plan
  const witness = await Witness.start(stage)
  const inspector = await ServiceInspector.open(service)
  const connect = (index: number): Promise<void> => connectOne(stage, { seed, index }, tally)
  const suffer = (index: number): Promise<void> => sufferOne(stage, { seed, index }, tally)
  const warm = socketCases.length + Math.min(WarmUpCases, plan.socketFrames / 100)
  const warmRooms = HostileWays.length
  const [next] = await Promise.all([
    inOrder(connect, { atOnce: SocketsAtOnce, more: (index) => index < warm }),
    inOrder(suffer, { atOnce: RoomsAtOnce, more: (index) => index < warmRooms })
  ])
  const before = await settled(service, inspector)
  say(`warm:  ${footingLine(before)}`)
  const inTime = (): boolean => performance.now() < plan.servedUntilMs
  await Promise.all([
    inOrder(connect, {
      from: next,
      atOnce: SocketsAtOnce,
      more: () => tally.framesOf("sockets") < plan.socketFrames && inTime()
    }),
    inOrder(suffer, {
      from: warmRooms,
      atOnce: RoomsAtOnce,
      more: (index) => index < plan.rooms && inTime()
    })
  ])
  const after = await settled(service, inspector)
  say(`after: ${footingLine(after)}`)
  inspector.close()
  await witness.stop()
  say(`beside: ${witness.line}`)
  say(`sockets: ${tally.framesOf("sockets")} frames, hostile rooms: ${tally.framesOf("rooms")}`)
  const [exit, last] = await Promise.all([service.stop(), witness.closed()])
  tally.count("close", String(last))
  return [
    ...leaksOf(before, after),
    ...(witness.says === null ? [] : [witness.says]),
    ...(exit === 0 ? [] : [`the service ended with ${exit}`]),
    ...logFaults(service, stage)
  ]
}

const logFaults = (service: RunningService, stage: Stage): ReadonlyArray<string> =>
  faultsIn(service.output(), { fuzzed: stage.project, hostile: stage.hostileProject })
    .slice(0, LogLinesMax)
    .map((line) => `in the log: ${line}`)
