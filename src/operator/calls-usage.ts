export const CALLS_USAGE = `oakvoice calls list [--from DAY] [--to DAY] [--caller ID] [--config-id ID] [--search WORDS] [--json | --csv]
oakvoice calls show CALL_ID
oakvoice calls export (CALL_ID | --caller ID | --from DAY --to DAY) --out FOLDER
oakvoice calls erase (CALL_ID | --caller ID | --from DAY --to DAY)
oakvoice calls test-webhook`;
