import { ClientLimits } from "@atrium/wire/client/ClientLimits"
import { BundleLimits } from "@atrium/wire/deployments/BundleLimits"
import { ClosingLimits } from "@atrium/wire/frames/ClosingLimits"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { KvLimits } from "@atrium/wire/kv/KvLimits"
import { PhysicsLimits } from "@atrium/wire/physics/PhysicsLimits"
import { PredictionLimits } from "@atrium/wire/physics/PredictionLimits"
import { RatingLimits } from "@atrium/wire/ratings/RatingLimits"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { SchemaLimits } from "@atrium/wire/schema/SchemaLimits"
import { TextLimits } from "@atrium/wire/text/TextLimits"
import { VoiceClientLimits } from "@atrium/wire/voice/VoiceClientLimits"
import { VoiceLimits } from "@atrium/wire/voice/VoiceLimits"

import { AccountLimits } from "../accounts/AccountLimits.ts"
import { AudienceLimits } from "../audience/AudienceLimits.ts"
import { AuditLimits } from "../audit/AuditLimits.ts"
import { BoardLimits } from "../boards/BoardLimits.ts"
import { BranchLimits } from "../branches/BranchLimits.ts"
import { ConnectionLimits } from "../connections/ConnectionLimits.ts"
import { ConsoleLimits } from "../console/ConsoleLimits.ts"
import { DemoLimits } from "../demo/DemoLimits.ts"
import { DeploymentLimits } from "../deployments/DeploymentLimits.ts"
import { FleetLimits } from "../fleet/FleetLimits.ts"
import { HandoverLimits } from "../handover/HandoverLimits.ts"
import { HttpLimits } from "../http/HttpLimits.ts"
import { IdentityLimits } from "../identity/IdentityLimits.ts"
import { InspectLimits } from "../inspect/InspectLimits.ts"
import { KeyLimits } from "../keys/KeyLimits.ts"
import { KvProjectLimits } from "../kv/KvProjectLimits.ts"
import { LifeLimits } from "../life/LifeLimits.ts"
import { LinkLimits } from "../link/LinkLimits.ts"
import { LoginLimits } from "../logins/LoginLimits.ts"
import { LogLimits } from "../logs/LogLimits.ts"
import { MailLimits } from "../mail/MailLimits.ts"
import { QueueLimits } from "../match/QueueLimits.ts"
import { MeterLimits } from "../meters/MeterLimits.ts"
import { MetricsLimits } from "../metrics/MetricsLimits.ts"
import { MigrationLimits } from "../migrations/MigrationLimits.ts"
import { ObjectLimits } from "../objects/ObjectLimits.ts"
import { PresenceLimits } from "../presence/PresenceLimits.ts"
import { ProjectLimits } from "../projects/ProjectLimits.ts"
import { RateLimits } from "../rates/RateLimits.ts"
import { RelayLimits } from "../relay/RelayLimits.ts"
import { ReplayStoreLimits } from "../replay/ReplayStoreLimits.ts"
import { RoomLimits } from "../rooms/RoomLimits.ts"
import { RoomProcessLimits } from "../rooms/RoomProcessLimits.ts"
import { ServerLimits } from "../servers/ServerLimits.ts"
import { ServiceLimits } from "../shared/ServiceLimits.ts"
import { SiteLimits } from "../sites/SiteLimits.ts"
import { StoreLimits } from "../store/StoreLimits.ts"
import { TarballLimits } from "../tarballs/TarballLimits.ts"
import { TestPlayerLimits } from "../testPlayers/TestPlayerLimits.ts"
import { VoiceMediaLimits } from "../voice/VoiceMediaLimits.ts"

/** The rows of every noun, for tests and scripts that ask about all of them. */
export const AllLimits = {
  ...SchemaLimits,
  ...FrameLimits,
  ...ClosingLimits,
  ...TextLimits,
  ...ClientLimits,
  ...RuntimeLimits,
  ...PhysicsLimits,
  ...PredictionLimits,
  ...BundleLimits,
  ...RoomLimits,
  ...RoomProcessLimits,
  ...ServerLimits,
  ...TarballLimits,
  ...TestPlayerLimits,
  ...BranchLimits,
  ...ConsoleLimits,
  ...DemoLimits,
  ...ConnectionLimits,
  ...LifeLimits,
  ...LinkLimits,
  ...IdentityLimits,
  ...DeploymentLimits,
  ...FleetLimits,
  ...HandoverLimits,
  ...HttpLimits,
  ...RateLimits,
  ...LogLimits,
  ...MailLimits,
  ...ObjectLimits,
  ...PresenceLimits,
  ...ProjectLimits,
  ...LoginLimits,
  ...RelayLimits,
  ...AccountLimits,
  ...AudienceLimits,
  ...BoardLimits,
  ...QueueLimits,
  ...RatingLimits,
  ...ReplayLimits,
  ...ReplayStoreLimits,
  ...MeterLimits,
  ...MetricsLimits,
  ...InspectLimits,
  ...MigrationLimits,
  ...KeyLimits,
  ...KvLimits,
  ...KvProjectLimits,
  ...AuditLimits,
  ...SiteLimits,
  ...StoreLimits,
  ...ServiceLimits,
  ...VoiceLimits,
  ...VoiceClientLimits,
  ...VoiceMediaLimits
}
