"""Counts the pairs of the logs that there are; apart from the table's making, which locks what it indexes."""

from django.db import migrations


COUNT_LOGS = """
INSERT INTO ladder_pairtally (pool_id, first_id, second_id, "offset", ahead, level, behind, difference, squares)
SELECT e.pool_id, a.version_id, b.version_id, (b.index - a.index + p.players) % p.players,
    COUNT(*) FILTER (WHERE a.place < b.place), COUNT(*) FILTER (WHERE a.place = b.place),
    COUNT(*) FILTER (WHERE a.place > b.place), SUM(COALESCE(a.total, 0) - COALESCE(b.total, 0)),
    SUM(POWER(COALESCE(a.total, 0) - COALESCE(b.total, 0), 2))
FROM ladder_ratingevent e
JOIN ladder_pool p ON p.id = e.pool_id
JOIN games_seat a ON a.match_id = e.match_id
JOIN games_seat b ON b.match_id = e.match_id AND a.version_id < b.version_id
WHERE e.kind = 'match' AND NOT EXISTS (SELECT 1 FROM ladder_ratingevent w
    WHERE w.pool_id = e.pool_id AND w.kind = 'void' AND w.match_id = e.match_id)
GROUP BY 1, 2, 3, 4
"""


class Migration(migrations.Migration):
    dependencies = [
        ("ladder", "0008_pair_tallies"),
    ]

    operations = [
        migrations.RunSQL(COUNT_LOGS, migrations.RunSQL.noop),
    ]
