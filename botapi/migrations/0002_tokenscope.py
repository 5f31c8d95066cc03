import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("botapi", "0001_initial"),
        migrations.swappable_dependency(settings.KNOX_TOKEN_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='TokenScope',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('scopes', models.JSONField(default=list)),
                ('token', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='scope', to=settings.KNOX_TOKEN_MODEL)),
            ],
        ),
    ]
