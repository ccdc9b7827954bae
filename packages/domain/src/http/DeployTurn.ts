import { HttpApiMiddleware } from "effect/http-api"

import { NotReady } from "../Refusal.ts"
import type { CallersProject } from "./Credential.ts"
import { onWire } from "./onWire.ts"

/** Lets a deployment wait for its turn before its bundle is read. */
export class DeployTurn extends HttpApiMiddleware.Service<
  DeployTurn,
  { requires: CallersProject }
>()("@atrium/domain/http/DeployTurn", { error: onWire(NotReady) }) {}
