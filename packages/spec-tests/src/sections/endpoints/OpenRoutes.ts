import { isSuccess, isRefusal } from "../../check/Answers.ts"
import { same, matches, holds } from "../../check/Expect.ts"
import { AudienceStage } from "../../trial/AudienceStage.ts"
import type { HttpRequest, HttpAnswer } from "../../trial/HttpProbe.ts"
import { board } from "../../trial/RelayStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { openRoute } from "../Literals.ts"
import { noProject } from "../RouteCall.ts"
import { section, tierA, tierB, rowOf } from "../Section.ts"
import { succeeds } from "./LoginRoutes.ts"

/** Lines 255 to 268 of the specification: Open endpoints. */
export const openRoutesSection = section(
  "Endpoints / Open endpoints (project id is the credential)",
  {
    "route.match.join": tierA(
      255,
      "POST /match exists and serves its purpose with only a project id",
      {
        features: ["match"],
        decisions: ["D-31"],
        route: openRoute({ method: "POST", path: "/match" })
      }
    ),
    "route.match.party": tierA(
      256,
      "POST /match/party exists and serves its purpose with only a project id",
      {
        features: ["match"],
        decisions: ["D-31"],
        route: openRoute({ method: "POST", path: "/match/party", success: 201 })
      }
    ),
    "route.match.status": tierA(
      257,
      "GET /match/status exists and serves its purpose with only a project id",
      {
        features: ["match"],
        decisions: ["D-31"],
        route: openRoute({ method: "GET", path: "/match/status" })
      }
    ),
    "route.identity.mint": tierA(
      258,
      "POST /v1/identity exists and serves its purpose with only a project id",
      {
        decisions: ["D-27"],
        route: openRoute({ method: "POST", path: "/v1/identity", success: 201 }),
        check: {
          title:
            "an identity takes the project's id and no credential; every mint is another player",
          run: identityMint
        }
      }
    ),
    "route.identity.assertion": tierA(
      259,
      "POST /v1/identity/assertion exists and serves its purpose with only a project id",
      {
        features: ["assertions"],
        decisions: ["D-27"],
        route: openRoute({ method: "POST", path: "/v1/identity/assertion" })
      }
    ),
    "route.leaderboard.read": tierA(
      260,
      "GET /v1/leaderboard/... exists and serves its purpose with only a project id",
      {
        features: ["boards"],
        decisions: ["D-34"],
        route: openRoute({ method: "GET", path: "/v1/leaderboard/..." })
      }
    ),
    "leaderboard.top-and-around": tierB(260, "both a top read and an around read exist", {
      features: ["boards"],
      decisions: ["D-34"]
    }),
    "route.account.linkCode": tierA(
      261,
      "POST /v1/account/link-code exists and serves its purpose with only a project id",
      {
        features: ["accounts"],
        decisions: ["D-28"],
        route: openRoute({
          method: "POST",
          path: "/v1/account/link-code",
          success: 201
        })
      }
    ),
    "route.account.link": tierA(
      262,
      "POST /v1/account/link exists and serves its purpose with only a project id",
      {
        features: ["accounts"],
        decisions: ["D-28"],
        route: openRoute({ method: "POST", path: "/v1/account/link" })
      }
    ),
    "route.account.manage": tierA(
      263,
      "various /v1/account, /v1/account/devices exists and serves its purpose with only a project id",
      {
        features: ["accounts"],
        decisions: ["D-28"],
        route: openRoute({
          method: "various",
          path: "/v1/account, /v1/account/devices"
        })
      }
    ),
    "route.presence.read": tierA(
      264,
      "GET /v1/presence exists and serves its purpose with only a project id",
      {
        features: ["presence"],
        decisions: ["D-32"],
        route: openRoute({ method: "GET", path: "/v1/presence" })
      }
    ),
    "route.presence.watch": tierA(
      265,
      "GET /v1/presence?wait= exists and serves its purpose with only a project id",
      {
        features: ["presence"],
        decisions: ["D-32"],
        route: openRoute({ method: "GET", path: "/v1/presence?wait=" })
      }
    ),
    "route.audience.mint": tierA(
      266,
      "POST /v1/audience exists and serves its purpose with only a project id",
      {
        features: ["audience"],
        decisions: ["D-29"],
        route: openRoute({ method: "POST", path: "/v1/audience", success: 201 }),
        provedBy: "audienceRole.enables-viewers"
      }
    ),
    "open.payloads": tierA(
      268,
      "request and response payloads of the open endpoints are not given",
      {
        level: "decided",
        decisions: ["D-26", "D-27", "D-28", "D-29", "D-31", "D-32", "D-34"],
        is: { identity: ["expiresAt", "playerId", "token"], audience: ["expiresAt", "token"] },
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
      }
    )
  }
)

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
      return identity?.playerId
    })
  )
  isSuccess(await mint(foreign.id))
  same("different players", new Set(players).size, anyone.length)
  const unknown = await mint(noProject(trial))
  trial.chosen("D-26", () => isRefusal(trial, unknown, rowOf("error", "error.http.E_NOT_FOUND")))
}
