/** What a file in `migrations` imports: `@atrium/sdk/migration`. */
export {
  defineMigration,
  type Migration,
  type MigrationDefinition,
  type PlayerMigration,
  type RemovedRoomType,
  type RoomMigration,
  undecided
} from "@atrium/runtime/migrations/DefineMigration"
