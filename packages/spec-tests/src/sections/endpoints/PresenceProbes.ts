import { isRefusal } from "../../check/Answers.ts"
import { brought, holds, matches, oneOf, same } from "../../check/Expect.ts"
import type { OpenAsked, OpenEndpoint } from "../../codec/OpenCalls.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import type { RoomSocket } from "../../trial/RoomSocket.ts"
import { type RoomStage, roomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { noProject } from "../RouteCall.ts"
import { rowOf } from "../Section.ts"
import { secondMs } from "../Units.ts"

/** What a change of presence may take to be seen. */
const seenWithinMs = secondMs

interface Player {
  readonly playerId: string
  enter(room: string): Promise<RoomSocket>
}

const playerOf = async (trial: Trial, stage: RoomStage): Promise<Player> => {
  const body = trial.codecs.identityBody(stage.project.id)
  const answer = await trial.send({ method: "POST", path: "/v1/identity", body })
  const { playerId, token } = brought("an identity", answer, trial.codecs.identity(answer.json))
  return { playerId, enter: (room) => stage.client(room, { token }) }
}

const ask = (
  trial: Trial,
  endpoint: OpenEndpoint,
  asked: Partial<OpenAsked>
): Promise<HttpAnswer> => {
  const nothing = { project: "", identity: "", board: "", room: "", assertion: "" }
  return trial.send(trial.codecs.openCall(endpoint, { ...nothing, ...asked }))
}

const presenceIn = (trial: Trial, answer: HttpAnswer) =>
  brought("the presence of players", answer, trial.codecs.presence(answer.json))

const roomsIn = (trial: Trial, answer: HttpAnswer) =>
  presenceIn(trial, answer).players.map(({ roomId }) => roomId)

/** Until the rooms of players are these; a room's own welcome may come a moment sooner. */
const are = (trial: Trial, asked: Partial<OpenAsked>, rooms: ReadonlyArray<string | null>) =>
  trial.until(
    `the players are in ${JSON.stringify(rooms)}`,
    async () => {
      const answer = await ask(trial, "presence.read", asked)
      return roomsIn(trial, answer).join() === rooms.join() ? true : null
    },
    seenWithinMs
  )

export async function presenceRead(trial: Trial): Promise<void> {
  const stage = await roomStage(trial)
  const foreign = await trial.project(1)
  const [ann, bob] = [await playerOf(trial, stage), await playerOf(trial, stage)]
  const asked = { project: stage.project.id, players: [bob.playerId, "nobody", ann.playerId] }
  const socket = await ann.enter("den")
  await are(trial, asked, [null, null, "den"])
  const answer = await ask(trial, "presence.read", asked)
  const { players } = presenceIn(trial, answer)
  trial.chosen("D-32", () => {
    const ids = players.map(({ playerId }) => playerId)
    same("the players", ids, asked.players)
    const { since } = Object(Object(answer.json)["players"][2])
    matches("since when", since, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })
  const elsewhere = await ask(trial, "presence.read", { ...asked, project: foreign.id })
  same("of another project", roomsIn(trial, elsewhere), [null, null, null])
  const second = await ann.enter("attic")
  const [, , room] = roomsIn(trial, await ask(trial, "presence.read", asked))
  oneOf("of two rooms", room, ["den", "attic"])
  trial.chosen("D-32", () => same("of two rooms the later", room, "attic"))
  await second.leave()
  await are(trial, asked, [null, null, "den"])
  socket.drop()
  await are(trial, asked, [null, null, null])
  await bounds(trial, asked.project)
}

const idsOf = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`)

async function bounds(trial: Trial, project: string): Promise<void> {
  const most = await ask(trial, "presence.read", { project, players: idsOf(100) })
  same("100 players", roomsIn(trial, most).length, 100)
  const over = await ask(trial, "presence.read", { project, players: idsOf(101) })
  const unknown = await ask(trial, "presence.read", { project: noProject(trial), players: ["a"] })
  trial.chosen("D-32", () => isRefusal(trial, over, rowOf("error", "error.http.E_BAD_REQUEST")))
  trial.chosen("D-26", () => isRefusal(trial, unknown, rowOf("error", "error.http.E_NOT_FOUND")))
}

export async function presenceWatch(trial: Trial): Promise<void> {
  const stage = await roomStage(trial)
  const ann = await playerOf(trial, stage)
  const asked = { project: stage.project.id, players: [ann.playerId] }
  const { cursor } = presenceIn(trial, await ask(trial, "presence.read", asked))
  const watch = { ...asked, cursor, waitS: 10 }
  const watching = ask(trial, "presence.watch", watch)
  const quiet = await ask(trial, "presence.watch", { ...watch, waitS: 1 })
  same("after its time nothing has changed", presenceIn(trial, quiet).cursor, cursor)
  holds("it waited", quiet.tookMs >= secondMs - 50, quiet.tookMs)
  const socket = await ann.enter("den")
  const enteredMs = performance.now()
  const changed = await watching
  const seenMs = performance.now() - enteredMs
  holds("the change came at once", seenMs < seenWithinMs * trial.patience, seenMs)
  same("the room", roomsIn(trial, changed), ["den"])
  const late = await ask(trial, "presence.watch", watch)
  same("a watch of what has changed does not wait", roomsIn(trial, late), ["den"])
  const next = presenceIn(trial, changed).cursor
  const leaving = ask(trial, "presence.watch", { ...watch, cursor: next })
  socket.drop()
  same("who has gone", roomsIn(trial, await leaving), [null])
  for (const waitS of [0, 31]) {
    // A service that takes it has nothing to wait for: the cursor is an old one.
    const refused = await ask(trial, "presence.watch", { ...watch, cursor: next, waitS })
    trial.chosen("D-32", () =>
      isRefusal(trial, refused, rowOf("error", "error.http.E_BAD_REQUEST"))
    )
  }
}
