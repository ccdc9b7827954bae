import { HttpApiMiddleware } from "effect/http-api"

import type { CallersProject } from "../http/Credential.ts"
import { onWire } from "../http/onWire.ts"
import { CapReached, NotReady } from "../shared/Refusal.ts"

/** Lets a deployment wait for its turn before its bundle is read, and refuses it at the storage wall. */
export class DeployTurn extends HttpApiMiddleware.Service<
  DeployTurn,
  { requires: CallersProject }
>()("@atrium/domain/deployments/DeployTurn", { error: [onWire(NotReady), onWire(CapReached)] }) {}
