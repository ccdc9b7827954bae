import { isSuccess } from "../../check/Answers.ts"
import { same } from "../../check/Expect.ts"
import type { OpenCall } from "../../codec/OpenCalls.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import { MatchStage, queueName } from "../../trial/MatchStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { rowOf } from "../Section.ts"

/** The open endpoints of quick match and of leaderboards, of a project that has both. */
interface QueueAndBoardCalls {
  readonly project: string
  readonly join: OpenCall
  readonly party: OpenCall
  readonly status: OpenCall
  readonly read: OpenCall
}

/** Calls with all that each of them needs. */
const queueAndBoardCalls = async (trial: Trial): Promise<QueueAndBoardCalls> => {
  const stage = await MatchStage.of(trial, { size: 2 })
  const { project } = stage.rooms
  const body = { name: project.name, boards: { main: { direction: "higher" } } }
  isSuccess(await project.ask("", { method: "PATCH", body }))
  const { token: identity } = await stage.player()
  const { match, openCall } = trial.codecs
  const asked = { project: project.id, queue: queueName, identity }
  const nothing = { room: "", assertion: "" }
  return {
    project: project.id,
    join: match.join(asked),
    party: match.party({ ...asked, size: 2 }),
    status: match.status(project.id, queueName),
    read: openCall("leaderboard.read", { ...nothing, ...asked, board: "main" })
  }
}

const callsIn = ({ join, party, status, read }: QueueAndBoardCalls): ReadonlyArray<OpenCall> => [
  join,
  party,
  status,
  read
]

/** A page of an origin asks for a match and for a board. */
export const queueAndBoardFrom = async (
  trial: Trial,
  origin: string,
  readable: (answer: HttpAnswer) => void
): Promise<void> => {
  for (const call of callsIn(await queueAndBoardCalls(trial))) {
    const asking = { "access-control-request-method": call.method }
    const headers = { origin, ...asking, "access-control-request-headers": "content-type" }
    readable(await trial.send({ method: "OPTIONS", path: call.path, headers }))
    readable(await trial.send({ ...call, headers: { origin } }))
  }
}

/** What quick match and a board answer has the fields that were decided. */
export const queueAndBoardPayloads = async (trial: Trial): Promise<void> => {
  const { is = {} } = rowOf("statement", "open.payloads")
  const { join, party, status, read } = await queueAndBoardCalls(trial)
  for (const [name, call, decision] of [
    ["party", party, "D-31"],
    ["status", status, "D-31"],
    ["board", read, "D-34"]
  ] as const) {
    const answer = await trial.send(call)
    isSuccess(answer)
    trial.chosen(decision, () =>
      same(call.path, Object.keys(Object(answer.json)).toSorted(), is[name])
    )
  }
  const ticket = await trial.send(join)
  isSuccess(ticket)
  trial.chosen("D-31", () =>
    same("the ticket's status", trial.codecs.match.ticket(ticket.json)?.status, "waiting")
  )
}

/** The calls in their order, from an address. */
export const queueAndBoardFor = async (
  trial: Trial,
  headers: Readonly<Record<string, string>>
): Promise<ReadonlyArray<HttpAnswer>> => {
  const answers: Array<HttpAnswer> = []
  for (const call of callsIn(await queueAndBoardCalls(trial))) {
    answers.push(await trial.send({ ...call, headers }))
  }
  return answers
}
