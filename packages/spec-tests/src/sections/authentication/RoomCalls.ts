import type { HttpRequest } from "../../trial/HttpProbe.ts"
import type { Trial } from "../../trial/Trial.ts"
import { keyRouteIds, callOf } from "../RouteCall.ts"

export const roomCalls = (trial: Trial, project: string): ReadonlyArray<HttpRequest> =>
  keyRouteIds.map((id) => callOf(trial, id, { project }))
