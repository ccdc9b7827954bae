import { isSuccess, isRefusal } from "../check/Answers.ts"
import { same, holds } from "../check/Expect.ts"
import { AudienceStage } from "../trial/AudienceStage.ts"
import type { HttpAnswer } from "../trial/HttpProbe.ts"
import { board } from "../trial/RelayStage.ts"
import { stateOf, withRooms } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"
import { playersFrom } from "./endpoints/AccountProbes.ts"
import { queueAndBoardFrom } from "./endpoints/QueueAndBoardProbes.ts"
import { participantMinutes } from "./limits/VoiceCalls.ts"
import { refusedJoin } from "./RefusedJoin.ts"
import { meters } from "./resources/Meters.ts"
import { managementRouteIds, callOf } from "./RouteCall.ts"
import { section, tierC, tierA, tierB, rowOf } from "./Section.ts"

/** Of a page on the machine of its developer. */
const pageOrigin = "http://localhost:5173"

const isReadable = (trial: Trial, answer: HttpAnswer): void => {
  isSuccess(answer)
  const allowed = answer.headers["access-control-allow-origin"]
  holds("the page may read it", allowed === pageOrigin || allowed === "*", answer.headers)
  trial.chosen("D-30", () => {
    same("the origin is echoed", allowed, pageOrigin)
    holds("vary: origin", /\borigin\b/i.test(answer.headers["vary"] ?? ""), answer.headers)
  })
}

const fourMeters = {
  title: "there are four meters: room hours, voice minutes, storage and data out",
  run: async (trial: Trial): Promise<void> => {
    const project = await trial.project()
    const answer = await project.ask("/caps")
    isSuccess(answer)
    const named = rowOf("statement", "overview.meters").is?.["meters"]
    same(
      "how many meters the specification names",
      Array.isArray(named) && named.length,
      meters.length
    )
    for (const meter of meters) {
      const cap = trial.codecs.cap(answer.json, meter)
      holds(`the meter ${meter}`, cap !== null && cap.used >= 0, cap)
    }
    same("how many meters there are", trial.codecs.meters(answer.json)?.length, meters.length)
  }
}

/** Pages of other origins are for games: what the owner reads, they do not. */
const managementStaysClosed = async (
  trial: Trial,
  asked: { readonly project: string; readonly login: string; readonly origin: string }
): Promise<void> => {
  const { origin, login: bearer, project } = asked
  for (const id of ["route.rooms.list", "route.keys.list", "route.caps.get"] as const) {
    const call = callOf(trial, id, { project })
    const headers = { origin, "access-control-request-method": call.method }
    const answers = [
      await trial.send({ ...call, headers: { origin }, bearer }),
      await trial.send({ method: "OPTIONS", path: call.path, headers })
    ]
    trial.chosen("D-30", () => {
      for (const { headers: sent } of answers) {
        same(`${id} for pages`, sent["access-control-allow-origin"], undefined)
      }
    })
  }
}

/** Lines 7 to 12 of the specification: What the service does. */
export const whatTheServiceDoesSection = section("What the service does", {
  "overview.server-per-project": tierC(
    7,
    "a project has a server of its own; more are added when rooms need them",
    {
      hooks: ["fixture", "metrics"],
      features: ["budget"],
      decisions: ["D-46"],
      provedBy: "budget.xlarge.awake"
    }
  ),
  "overview.routes-cover-management": tierA(
    8,
    "list, read, retention, public, delete, saves, bytes, restore, keys and settings all have a route",
    {
      check: {
        title: "rooms, saves, keys, settings and caps have their thirteen routes",
        run: thirteenRoutes
      }
    }
  ),
  "overview.http-cannot-change-live-state": tierB(
    9,
    "no HTTP management route alters live room state; only an authorised room RPC does",
    {
      probe: ["http", "ws"],
      check: {
        title: "no route changes what a live room holds",
        run: withRooms(async (stage, trial) => {
          const client = await stage.client("live")
          await client.call("add", { by: 7 })
          await client.call("save")
          const [saveId = ""] = await stage.saves("live")
          const { project } = stage
          const { keyId } = await project.key("rooms:read")
          for (const [method, path, body] of [
            ["GET", "/rooms"],
            ["GET", "/rooms/live"],
            ["GET", "/rooms/live/saves"],
            ["GET", `/rooms/live/saves/${saveId}/bytes`],
            ["POST", "/rooms/live/restore", trial.codecs.restoreBody("sv_0123456789abcdef")],
            ["DELETE", "/rooms/live?force=false"],
            ["POST", "/keys", { scopes: ["rooms:write"], label: "live" }],
            ["DELETE", `/keys/${keyId}`],
            ["PATCH", "/rooms/live", { retention: "1h", public: true }],
            ["PATCH", "/rooms/live", { state: { counter: { value: 1 } } }],
            ["PATCH", "/rooms/live", { value: 1 }],
            ["DELETE", "/rooms/live"],
            ["PATCH", "", { name: project.name, vmMemMib: 256 }],
            ["PATCH", "/caps", trial.codecs.capsBody({ roomHours: 100 })],
            ["GET", "/caps"],
            ["GET", "/keys"]
          ] as const) {
            await project.ask(path, { method, ...(body === undefined ? {} : { body }) })
            const { value, created } = await stateOf(client)
            same(`the state after ${method} ${path}`, { value, created }, { value: 7, created: 1 })
          }
          const stranger = await stage.socket("live")
          await refusedJoin(stranger, { token: "no credential" })
          same("who is not let in calls nothing", (await stateOf(client)).value, 7)
          same("by a call it does", await client.call("add", { by: 1 }), { value: 8 })
        })
      }
    }
  ),
  "overview.cli-mirrors-api": tierA(10, "every management operation has a CLI counterpart", {
    probe: ["cli"],
    features: ["cli", "cli.logs"],
    is: { commands: ["rooms", "keys", "logs", "deploy"] },
    check: {
      title: "each of the commands does its work, for the project of the file",
      timeoutMs: 120_000,
      run: async (trial) => {
        const project = await trial.project()
        const { commands } = rowOf("statement", "overview.cli-mirrors-api").is ?? {}
        const file = JSON.stringify({ project: project.id })
        const folder = await trial.cli.project({ files: { "service.json": file } })
        const { secret } = await project.key("rooms:read")
        const further = { keys: ["jwt-secret", ...(trial.config.cli?.confirm ?? [])] }
        for (const command of Array.isArray(commands) ? commands.map(String) : []) {
          const args = command === "keys" ? further.keys : []
          const env = { SERVICE_API_KEY: secret }
          const ran = await trial.cli.runLoggedIn([command, ...args], { folder, env })
          holds(`${command} is done`, ran.code === 0, `exit ${ran.code}: ${ran.stderr}`)
        }
        same(
          "the version that was deployed",
          Object((await project.ask("")).json)["currentVersion"],
          1
        )
      }
    }
  }),
  "overview.open-endpoints-browser": tierA(
    11,
    "open endpoints work from a browser with only the project id (CORS preflight answered for allowed origins)",
    {
      decisions: ["D-30"],
      check: [
        {
          title: "a page on localhost may call open endpoints, and reads their answers",
          run: fromBrowsers
        },
        {
          needs: ["accounts", "assertions", "presence"],
          title: "a page on localhost may ask for its player's account and friends, and reads them",
          run: (trial) => playersFrom(trial, pageOrigin, (answer) => isReadable(trial, answer))
        },
        {
          needs: ["match", "boards", "fixture"],
          title: "a page on localhost may queue and read a board",
          run: (trial) =>
            queueAndBoardFrom(trial, pageOrigin, (answer) => isReadable(trial, answer))
        },
        {
          needs: ["origins"],
          title: "a page of a listed origin reads its answers, and a page of another does not",
          run: async (trial) => {
            const { id, name, ask } = await trial.project()
            const listed = "https://game.example"
            isSuccess(await ask("", { method: "PATCH", body: { name, origins: [listed] } }))
            const { path } = rowOf("route", "route.identity.mint")
            const body = trial.codecs.identityBody(id)
            const mintFrom = (origin: string): Promise<HttpAnswer> =>
              trial.send({ method: "POST", path, body, headers: { origin } })
            const readerOf = ({ headers }: HttpAnswer) => headers["access-control-allow-origin"]
            same("who reads the answer", readerOf(await mintFrom(listed)), listed)
            same(
              "who reads the refusal",
              readerOf(await mintFrom("https://other.example")),
              undefined
            )
            trial.saw("behaviour the origin list")
          }
        },
        {
          needs: ["audience", "relay", "fixture"],
          title: "a page on localhost may ask for an audience credential, and reads it",
          run: async (trial) => {
            const watched = await AudienceStage.of(trial)
            await watched.stage.client("watched", board)
            const { project } = watched.stage
            const asked = {
              project: project.id,
              room: "watched",
              identity: "",
              board: "",
              assertion: ""
            }
            const call = trial.codecs.openCall("audience.mint", asked)
            isReadable(trial, await trial.send({ ...call, headers: { origin: pageOrigin } }))
          }
        }
      ]
    }
  ),
  "overview.meters": tierA(
    12,
    "four meters exist: room hours, voice participant-minutes, storage, data out",
    {
      decisions: ["D-10"],
      is: { meters: ["room hours", "voice participant-minutes", "storage", "data out"] },
      provedBy: ["caps.hibernated-no-hours", "caps.lag.storage", "slow.refused-bytes-unbilled"],
      check: [fourMeters, participantMinutes]
    }
  )
})

async function thirteenRoutes(trial: Trial): Promise<void> {
  const project = await trial.project()
  const { keyId } = await project.key("rooms:read")
  const nothing = await project.ask("/no-such-route")
  const thirteen = managementRouteIds.filter((id) => rowOf("route", id).credential !== "project")
  same("how many routes there are", thirteen.length, 13)
  for (const id of thirteen) {
    const call = callOf(trial, id, { project: project.id, projectName: project.name, keyId })
    const answer = await trial.send({ ...call, bearer: project.login })
    if (rowOf("route", id).credential === "login" || id === "route.rooms.list") isSuccess(answer)
    else isRefusal(trial, answer, rowOf("error", "error.http.E_ROOM_NOT_FOUND"))
    holds(`${id} is no path without a route`, answer.text !== nothing.text, answer.text)
  }
}

async function fromBrowsers(trial: Trial): Promise<void> {
  const project = await trial.project()
  const origin = pageOrigin
  const readable = (answer: HttpAnswer): void => isReadable(trial, answer)
  const { path } = rowOf("route", "route.identity.mint")
  const preflight = await trial.send({
    method: "OPTIONS",
    path,
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type"
    }
  })
  readable(preflight)
  const taken = preflight.headers["access-control-allow-headers"] ?? ""
  holds("JSON may be sent", taken === "*" || /\bcontent-type\b/i.test(taken), preflight.headers)
  const body = trial.codecs.identityBody(project.id)
  readable(await trial.send({ method: "POST", path, body, headers: { origin } }))
  const bad = await trial.send({ method: "POST", path, body: {}, headers: { origin } })
  const readableRefusal = bad.headers["access-control-allow-origin"]
  trial.chosen("D-30", () => same("refusals are read, too", readableRefusal, origin))
  const lobby = trial.codecs.lobbyPath(project.id)
  const rooms = await trial.send({ method: "GET", path: lobby, headers: { origin } })
  trial.chosen("D-21", () => readable(rooms))
  await managementStaysClosed(trial, { project: project.id, login: project.login, origin })
}
