import { isSuccess, isRefusal } from "../../check/Answers.ts"
import { same, matches, holds } from "../../check/Expect.ts"
import { AudienceStage } from "../../trial/AudienceStage.ts"
import type { HttpRequest, HttpAnswer } from "../../trial/HttpProbe.ts"
import { MatchStage, passMs, withQueue } from "../../trial/MatchStage.ts"
import { board } from "../../trial/RelayStage.ts"
import { JoinRefused } from "../../trial/RoomSocket.ts"
import type { Trial } from "../../trial/Trial.ts"
import { openRoutesHeading } from "../Headings.ts"
import { readsTopAndAround } from "../limits/LeaderboardProbes.ts"
import { noProject } from "../RouteCall.ts"
import { openRoute } from "../RowKinds.ts"
import { section, tierA, tierB, rowOf } from "../Section.ts"
import { dayMs, secondMs } from "../Units.ts"
import {
  accountLink,
  accountManage,
  playersPayloads,
  assertionExchange,
  linkCodeMint
} from "./AccountProbes.ts"
import { claimsOf } from "./CommandsProbes.ts"
import { succeeds } from "./LoginRoutes.ts"
import { presenceRead, presenceWatch } from "./PresenceProbes.ts"
import { queueAndBoardPayloads } from "./QueueAndBoardProbes.ts"

/** Lines 255 to 268 of the specification: Open endpoints. */
export const openRoutesSection = section(openRoutesHeading, {
  "route.match.join": openRoute(255, "POST /match", {
    features: ["match"],
    decisions: ["D-31"],
    check: {
      title: "two players who queue meet in a room, and the tokens of their tickets join it",
      needs: ["fixture"],
      run: withQueue({ size: 2 }, matchJoin)
    }
  }),
  "route.match.party": openRoute(256, "POST /match/party", {
    features: ["match"],
    decisions: ["D-31"],
    success: 201,
    check: {
      title: "players with a party's code are matched together, and nobody else has it",
      needs: ["fixture"],
      run: withQueue({ teams: [{ size: 2, count: 2 }] }, matchParty)
    }
  }),
  "route.match.status": openRoute(257, "GET /match/status", {
    features: ["match"],
    decisions: ["D-31"],
    check: {
      title: "the depth of a queue is the number of tickets that wait in it",
      needs: ["fixture"],
      run: withQueue({ size: 4 }, matchStatus)
    }
  }),
  "route.identity.mint": openRoute(258, "POST /v1/identity", {
    decisions: ["D-27"],
    success: 201,
    check: {
      title: "an identity takes the project's id and no credential; every mint is another player",
      run: identityMint
    }
  }),
  "route.identity.assertion": openRoute(259, "POST /v1/identity/assertion", {
    features: ["assertions"],
    decisions: ["D-27"],
    check: {
      title: "an assertion of the project's own login is one player, and joins beside the secret",
      run: assertionExchange
    }
  }),
  "route.leaderboard.read": openRoute(260, "GET /v1/leaderboard/...", {
    features: ["boards"],
    decisions: ["D-34"],
    provedBy: "leaderboard.top-and-around"
  }),
  "leaderboard.top-and-around": tierB(260, "both a top read and an around read exist", {
    features: ["boards"],
    decisions: ["D-34"],
    check: readsTopAndAround
  }),
  "route.account.linkCode": openRoute(261, "POST /v1/account/link-code", {
    features: ["accounts"],
    decisions: ["D-28"],
    success: 201,
    check: { title: "a player gets a link code, and nobody else does", run: linkCodeMint }
  }),
  "route.account.link": openRoute(262, "POST /v1/account/link", {
    features: ["accounts"],
    decisions: ["D-28"],
    check: {
      title: "an identity that redeems a code is the player who made it, in a room too",
      needs: ["fixture"],
      run: accountLink
    }
  }),
  "route.account.manage": openRoute(263, "various /v1/account, /v1/account/devices", {
    features: ["accounts"],
    decisions: ["D-28"],
    check: {
      title: "a player lists and revokes devices, and deletes itself; their tokens end at once",
      run: accountManage
    }
  }),
  "route.presence.read": openRoute(264, "GET /v1/presence", {
    features: ["presence"],
    decisions: ["D-32"],
    check: {
      needs: ["fixture"],
      title: "presence tells the rooms of up to 100 players, and of nobody else's",
      run: presenceRead
    }
  }),
  "route.presence.watch": openRoute(265, "GET /v1/presence?wait=", {
    features: ["presence"],
    decisions: ["D-32"],
    check: {
      needs: ["fixture"],
      timeoutMs: 60_000,
      title: "a watch is answered when a player comes or goes, or unchanged after its time",
      run: presenceWatch
    }
  }),
  "route.audience.mint": openRoute(266, "POST /v1/audience", {
    features: ["audience"],
    decisions: ["D-29"],
    success: 201,
    provedBy: "audienceRole.enables-viewers"
  }),
  "open.payloads": tierA(268, "request and response payloads of the open endpoints are not given", {
    level: "decided",
    decisions: ["D-27", "D-28", "D-29", "D-31", "D-32", "D-34"],
    is: {
      identity: ["expiresAt", "playerId", "token"],
      audience: ["expiresAt", "token"],
      linkCode: ["code", "expiresAt"],
      account: ["accountId", "devices"],
      presence: ["cursor", "players"],
      party: ["code", "expiresAt"],
      status: ["depth", "oldestMs", "queue"],
      board: ["board", "period", "rows"]
    },
    check: [
      {
        title: "an identity is a player, a token and the moment of its end",
        run: async (trial) => {
          const project = await trial.project()
          const body = trial.codecs.identityBody(project.id)
          const { json } = await trial.send({ method: "POST", path: "/v1/identity", body })
          const { identity } = rowOf("statement", "open.payloads").is ?? {}
          trial.chosen("D-27", () => {
            same("its fields", Object.keys(Object(json)).toSorted(), identity)
            matches("its player", Object(json)["playerId"], /^pl_/)
          })
        }
      },
      {
        needs: ["accounts", "assertions", "presence"],
        title: "accounts, assertions and presence have the fields that were decided",
        run: playersPayloads
      },
      {
        needs: ["match", "boards", "fixture"],
        title: "quick match and boards have the fields that were decided",
        run: queueAndBoardPayloads
      },
      {
        needs: ["audience", "relay", "fixture"],
        title: "an audience credential is a token and the moment of its end",
        run: async (trial) => {
          const watched = await AudienceStage.of(trial)
          await watched.stage.client("watched", board)
          const { json } = await watched.asked("watched")
          const { audience } = rowOf("statement", "open.payloads").is ?? {}
          trial.chosen("D-29", () =>
            same("its fields", Object.keys(Object(json)).toSorted(), audience)
          )
        }
      }
    ]
  })
})

async function matchJoin(stage: MatchStage, trial: Trial): Promise<void> {
  const foreign = await MatchStage.of(trial, { size: 2 })
  const stranger = await stage.asks({ identity: (await foreign.player()).token })
  same("a player of another project is refused", isTaken(stranger), false)
  const tickets = [await stage.queues(), await stage.queues()]
  const met = await stage.meet("two players", tickets)
  const hidden = await trial.send(
    trial.codecs.match.poll(foreign.projectId, tickets[0]?.ticket ?? "")
  )
  same("a ticket of another project", hidden.status, 404)
  const room = met[0]?.roomId ?? ""
  for (const { token } of met) {
    const client = await stage.rooms.client(room, { token: token ?? "", type: "matched" })
    await client.call("read")
  }
  const elsewhere = await stage.rooms
    .client("elsewhere", { token: met[0]?.token ?? "", type: "matched" })
    .catch((cause: unknown) => cause)
  holds("the token joins no other room", elsewhere instanceof JoinRefused, String(elsewhere))
}

const isTaken = ({ status }: HttpAnswer): boolean => status < 300

async function matchParty(stage: MatchStage, trial: Trial): Promise<void> {
  const answer = await stage.party(2)
  succeeds(trial, "route.match.party", answer)
  const party = trial.codecs.match.code(answer.json) ?? ""
  const stranger = await stage.asks({ party: "00000000" })
  same("a code that nobody has minted is refused", isTaken(stranger), false)
  const ann = await stage.queues({ party })
  for (let other = 0; other < 3; other++) await stage.queues()
  // A pass that would match one of the party alone comes meanwhile.
  await trial.pause(2 * passMs)
  const bob = await stage.queues({ party })
  await stage.meet("a party", [ann, bob])
}

async function matchStatus(stage: MatchStage): Promise<void> {
  same("tickets before", await stage.depth(), 0)
  await stage.queues()
  await stage.queues()
  same("tickets that wait", await stage.depth(), 2)
}

async function identityMint(trial: Trial): Promise<void> {
  const [project, foreign] = [await trial.project(), await trial.project(1)]
  const { method, path } = rowOf("route", "route.identity.mint")
  if (method !== "POST") throw new Error(`the row says ${method}`)
  const mint = (id: string, request: Partial<HttpRequest> = {}): Promise<HttpAnswer> =>
    trial.send({ method, path, body: trial.codecs.identityBody(id), ...request })
  const anyone = [{}, { bearer: "unknown" }, { bearer: trial.login(1) }]
  const players = await Promise.all(
    anyone.map(async (credential) => {
      const answer = await mint(project.id, credential)
      succeeds(trial, "route.identity.mint", answer)
      const identity = trial.codecs.identity(answer.json)
      holds("an identity", identity !== null, answer.text)
      trial.chosen("D-27", () => {
        const [, claims = ""] = String(identity?.token).split(".")
        const { iat, exp } = claimsOf(claims)
        same("how long it lives", (Number(exp) - Number(iat)) * secondMs, dayMs)
      })
      return identity?.playerId
    })
  )
  isSuccess(await mint(foreign.id))
  same("different players", new Set(players).size, anyone.length)
  const unknown = await mint(noProject(trial))
  trial.chosen("D-26", () => isRefusal(trial, unknown, rowOf("error", "error.http.E_NOT_FOUND")))
}
