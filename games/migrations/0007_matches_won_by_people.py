from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0006_people_at_tables"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="seat",
            index=models.Index(
                condition=models.Q(("person__isnull", False), ("place", 1)),
                fields=["-match"],
                name="matches_won_by_people",
            ),
        ),
    ]
